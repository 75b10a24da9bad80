// Shows the notifications of the inspector, and opens the request of the one that is clicked. It caches nothing.

self.addEventListener('push', (event) => {
  event.waitUntil(show(event.data.json()));
});

self.addEventListener('notificationclick', (event) => {
  event.notification.close();
  event.waitUntil(open(event.notification.data.view));
});

/** A person who looks at the page sees the request there. */
async function show({ title, body, tag, view }) {
  const windows = await self.clients.matchAll({ type: 'window', includeUncontrolled: true });
  if (windows.some(({ focused }) => focused)) return;
  await self.registration.showNotification(title, { body, tag, icon: './icon-192.png', data: { view } });
}

async function open(view) {
  const [first] = await self.clients.matchAll({ type: 'window', includeUncontrolled: true });
  if (first === undefined) {
    await self.clients.openWindow(`./${view}`);
    return;
  }
  first.postMessage({ view });
  await first.focus();
}
