// Prints what the page /verify finds about the draw of each room, a line each: node room.mjs VERIFY_HTML CHAIN,CHAIN TICKET ADDRESS...
import { readFileSync } from 'node:fs';
import vm from 'node:vm';

const [page, chains, ticket, ...addresses] = process.argv.slice(2);
const html = readFileSync(page, 'utf8');
globalThis.self = {};
vm.runInThisContext(html.slice(html.indexOf('<script>') + '<script>'.length, html.lastIndexOf('</script>')));

for (const address of addresses) {
  let found;
  globalThis.self.postMessage = (message) => {
    found = message.found ?? found;
  };
  await globalThis.self.onmessage({ data: { light: true, file: null, address, receipt: null, chains: chains.split(','), ticket: BigInt(ticket) } });
  const { code, detail = '', announced, warnings, seed = null, place = null } = found;
  console.log(JSON.stringify({ code: String(detail).startsWith('defect') ? 'defect ' + detail : code, announced, warnings, seed, place, detail }));
}
