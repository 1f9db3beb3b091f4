// Prints the verdict of the page /verify on each case: node verdicts.mjs VERIFY_HTML CASES
// A case is a line of JSON: file, receipt (a path or ""), chains, light. The page's script runs as in its worker.
import { readFileSync } from 'node:fs';
import vm from 'node:vm';

const [page, cases] = process.argv.slice(2).map((file) => readFileSync(file, 'utf8'));
globalThis.self = {};
vm.runInThisContext(page.slice(page.indexOf('<script>') + '<script>'.length, page.lastIndexOf('</script>')));

for (const line of cases.trimEnd().split('\n')) {
  const { file, receipt, chains, light } = JSON.parse(line);
  let found;
  globalThis.self.postMessage = (message) => {
    found = message.found ?? found;
  };
  const request = { light, file: new Blob([readFileSync(file)]), receipt: receipt ? readFileSync(receipt) : null, chains };
  await globalThis.self.onmessage({ data: request });
  const { code, detail, stage = '', seed = '', resultRoot = '', warnings, absent = {} } = found;
  const isDefect = String(detail).startsWith('defect');
  console.log(JSON.stringify(isDefect ? { code: 'defect', detail } : { code, stage, seed, result_root: resultRoot, warnings, absent: Object.values(absent).join(' ') }));
}
