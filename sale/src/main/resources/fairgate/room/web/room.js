// Soft protection of a page whose proxy cannot ask Fairgate: while the room is on, browsers without a pass go to the
// waiting page. A visitor can switch it off; a page that must be protected needs its proxy or its server to check.
(() => {
  const room = '{room}';
  const base = new URL('.', document.currentScript.src);
  const inside = document.cookie.split('; ').some((part) => part.endsWith('fairgate_inside_' + room + '=1'));
  if (inside) return;
  fetch(new URL('head', base), { credentials: 'omit' })
    .then((response) => (response.ok ? response.json() : { phase: 'off' }))
    .then(({ phase }) => {
      if (phase === 'off' || phase === 'ended') return;
      location.replace(base.href + '?url=' + encodeURIComponent(location.href));
    })
    .catch(() => {});
})();
