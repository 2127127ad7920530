// Typesets TeX to SVG, one formula a line: {"tex", "display"} in, {"svg", "mml"} or {"error"} out.
// The MathJax folder is the first argument.
import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import { join } from "node:path";

const root = process.argv[2];
const require = createRequire(join(root, "node-main.js"));

const MathJax = await require(join(root, "node-main.js")).init({
  loader: { load: ["input/tex-full", "output/svg", "adaptors/liteDOM"], paths: { mathjax: root } },
  options: { enableAssistiveMml: false },
  startup: { typeset: false },
  tex: {
    packages: ["base", "ams", "newcommand", "boldsymbol", "textmacros", "configmacros"],
    formatError: (_, error) => { throw error; },
  },
  svg: { fontCache: "local", internalSpeechTitles: false },
});

for await (const line of createInterface({ input: process.stdin })) {
  const { tex, display } = JSON.parse(line);
  let answer;
  try {
    const node = MathJax.tex2svg(tex, { display });
    const svg = MathJax.startup.adaptor.innerHTML(node);
    answer = { svg, mml: MathJax.tex2mml(tex, { display }) };
  } catch (error) {
    answer = { error: error.message };
  }
  process.stdout.write(JSON.stringify(answer) + "\n");
}
process.exit(0);
