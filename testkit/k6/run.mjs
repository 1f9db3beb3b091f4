// Runs a script for k6 with Node, one buyer after the other, and prints its counters as JSON. The script is unchanged: the modules
// of k6 that it imports are those of stand-in.mjs. It checks the protocol of the script, not k6.
// usage: node run.mjs SCRIPT [NAME=VALUE ...]
import { register } from 'node:module';
import { pathToFileURL } from 'node:url';

const [script, ...settings] = process.argv.slice(2);
globalThis.__ENV = Object.fromEntries(settings.map((each) => each.split(/=(.*)/s).slice(0, 2)));
globalThis.__ITER = 0;

register('./hooks.mjs', import.meta.url);
const { end, newBuyer } = await import('./stand-in.mjs');
const { default: buyer, options } = await import(pathToFileURL(script).href);
for (let i = 1; i <= options.scenarios.buyers.vus; i++) {
  globalThis.__VU = i;
  newBuyer();
  buyer();
}
console.log(JSON.stringify(end()));
