/** Logs in to an inspector, as its page does. */
export async function login(url) {
  const { origin, hash } = new URL(url);
  const answer = await fetch(`${origin}/api/login`, {
    method: 'POST',
    headers: { origin, 'content-type': 'application/json', 'x-coxswain-inspector': '1' },
    body: JSON.stringify({ token: hash.slice('#token='.length) }),
  });
  const headers = { 'x-coxswain-inspector': (await answer.json()).key };
  const get = (path, init) => fetch(`${origin}/api/${path}`, { ...init, headers });
  return { get, list: async () => (await (await get('conversations?limit=500')).json()).conversations };
}

/** Reads the event stream, and calls `onEvent` with each event. */
export function follow(page, watch, onEvent = () => {}) {
  const controller = new AbortController();
  const read = async () => {
    const { body } = await page.get(`events?watch=${watch}`, { signal: controller.signal });
    let text = '';
    for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
      const blocks = (text + chunk).split('\n\n');
      text = blocks.pop();
      for (const block of blocks) {
        const data = /^data: (.*)$/m.exec(block)?.[1];
        if (data) onEvent(JSON.parse(data));
      }
    }
  };
  read().catch(() => {});
  return { close: () => controller.abort() };
}
