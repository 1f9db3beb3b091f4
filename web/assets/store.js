// What the browser keeps for the pages, as localStorage and sessionStorage do. Where it keeps nothing, because site data are off,
// the store is full or an app shows the page, the values last as long as the page.
function store(name) {
  const kept = new Map();
  const attempt = (act) => {
    try {
      return act(window[name]);
    } catch {
      return null;
    }
  };
  return {
    getItem: (key) => kept.get(key) ?? attempt((its) => its.getItem(key)),
    removeItem(key) {
      kept.delete(key);
      attempt((its) => its.removeItem(key));
    },
    setItem(key, value) {
      // A full store must not keep an older value.
      this.removeItem(key);
      kept.set(key, value);
      attempt((its) => (its.setItem(key, value), kept.delete(key)));
    },
  };
}

export const local = store('localStorage');
export const tab = store('sessionStorage');
