// Resolves the modules of k6 to their stand-ins.
const STAND_IN = new URL('./stand-in.mjs', import.meta.url).href;

export async function resolve(specifier, context, next) {
  if (specifier === 'k6' || specifier.startsWith('k6/')) return { url: STAND_IN, shortCircuit: true };
  return next(specifier, context);
}

export async function load(url, context, next) {
  // deploy/ has no package.json, so Node would take its scripts for CommonJS.
  return next(url, url.endsWith('.js') ? { ...context, format: 'module' } : context);
}
