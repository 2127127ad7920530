// What a page loads once a reader asks for it. A page opened from file:// may not fetch a file, but it may run a
// script: each of these hands its value over in an event (`data_script` in bundle.py writes them).

// The folder `data` stands beside this script, or beside the page that holds it.
const beside = document.currentScript?.src || location.href;

export function loadData(name) {
  return new Promise((take, fail) => {
    const script = Object.assign(document.createElement("script"), { src: new URL(`data/${name}.js`, beside) });
    const hear = ({ detail }) => detail.name === name && end(take, detail.value);
    function end(tell, what) {
      removeEventListener("ws-data", hear);
      script.remove();
      tell(what);
    }
    addEventListener("ws-data", hear);
    script.addEventListener("error", () => end(fail, new Error(`${name} cannot be loaded`)));
    document.body.append(script);
  });
}
