// #region page
/** Where people answer. It contains no data: the script fetches what waits, with the token that the person enters. */
export const page = `<!doctype html><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Approvals</title>
<style>body{font:16px system-ui;max-width:40rem;margin:2rem auto;padding:0 1rem}pre{white-space:pre-wrap;background:#8882;padding:.5rem}</style>
<h1>Approvals</h1>
<label>Token <input id="token" type="password" autocomplete="off"></label> <button id="show">Show</button>
<main aria-live="polite"></main>
<script>
const main = document.querySelector('main');
const call = (path, init = {}) =>
  fetch(path, { ...init, headers: { authorization: 'Bearer ' + document.querySelector('#token').value } });
async function show() {
  const response = await call('/approvals');
  if (!response.ok) return main.replaceChildren('Refused: ' + response.status);
  const cards = (await response.json()).map(({ customer, hash, tool, input }) => {
    const card = document.createElement('section');
    const title = document.createElement('h2');
    title.textContent = tool + ' for ' + customer;
    const what = document.createElement('pre');
    what.textContent = JSON.stringify(input, null, 2); // as text: the model wrote it
    card.append(title, what, ...['allow', 'deny'].map((decision) => button(decision, hash)));
    return card;
  });
  main.replaceChildren(...(cards.length ? cards : ['Nothing waits.']));
}
function button(decision, hash) {
  const element = document.createElement('button');
  element.textContent = decision;
  element.onclick = async () => {
    const answer = decision === 'allow' ? { decision } : { decision, message: 'A person said no.' };
    await call('/approvals/' + hash, { method: 'POST', body: JSON.stringify(answer) });
    await show();
  };
  return element;
}
document.querySelector('#show').onclick = show;
</script>`;
// #endregion
