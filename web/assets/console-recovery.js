// The recovery codes of an operator: copy, download, print. Without JavaScript they can be read only.
const list = document.querySelector('.recovery-codes');
const text = [...list.querySelectorAll('code')].map((code) => code.textContent).join('\n') + '\n';

async function copy(button) {
  // A page over plain http has no clipboard, and a browser may deny it: the codes are selected, so that the keyboard copies them.
  getSelection().selectAllChildren(list);
  if (await navigator.clipboard?.writeText(text).then(() => true, () => false)) button.textContent = button.dataset.done;
}

function save() {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type: 'text/plain' }));
  link.download = 'recovery-codes-' + location.hostname + '.txt';
  link.click();
  URL.revokeObjectURL(link.href);
}

for (const [id, act] of [['copy-codes', copy], ['save-codes', save], ['print-codes', () => print()]]) {
  const button = document.getElementById(id);
  button.hidden = false;
  button.addEventListener('click', () => act(button));
}
