// Who computes what the pretrained encoder is asked: a Worker; where the page may have none, the page itself.
import { encoder, encoderText } from "./encoder_engine.js";

// A Worker answers each request; so does the page itself, in a moment of its own.
const ANSWERS = `
const model = encoder();
onmessage = ({ data: { id, what, given } }) => {
  try {
    postMessage({ id, found: what === "hello" ? null : model[what](...given) });
  } catch (error) {
    postMessage({ id, wrong: String(error) });
  }
};`;

// The encoder in a Worker: a promise of {ask, stop}, which fails where there can be no Worker. If one fails later,
// so does what it has been asked, and `fail` is called.
function inWorker(fail) {
  return new Promise((take, refuse) => {
    const address = URL.createObjectURL(new Blob([encoderText(), ANSWERS], { type: "text/javascript" }));
    const worker = new Worker(address);
    const asked = new Map();
    let [id, stands] = [0, false];
    const ask = (what, ...given) =>
      new Promise((found, wrong) => {
        asked.set((id += 1), { found, wrong });
        worker.postMessage({ id, what, given });
      });
    const stop = () => {
      worker.terminate();
      URL.revokeObjectURL(address);
    };
    worker.onmessage = ({ data }) => {
      const { found, wrong } = asked.get(data.id);
      asked.delete(data.id);
      if ("wrong" in data) wrong(new Error(data.wrong));
      else found(data.found);
    };
    worker.onerror = (event) => {
      event.preventDefault?.();
      stop();
      for (const { wrong } of asked.values()) wrong(new Error("the Worker has failed"));
      if (stands) fail();
    };
    ask("hello").then(() => {
      stands = true;
      take({ ask, stop });
    }, refuse);
  });
}

// The same on the page's own thread: each request in a turn of its own, so that the page can answer in between.
function onThisThread() {
  const model = encoder();
  const turn = () => new Promise((go) => setTimeout(go));
  return { ask: (what, ...given) => turn().then(() => model[what](...given)), stop() {} };
}

// A promise of {ask, stop}: `ask` for what a function of `encoder` makes of what it is given; `fail` is called if
// all that it was told is lost.
export const encoderAtWork = (fail) => inWorker(fail).catch(onThisThread);
