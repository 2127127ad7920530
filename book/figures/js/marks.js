// What an encoder puts before and after a sentence: marks, which are no words.
const MARK_NAMES = { "[CLS]": "start", "[SEP]": "end" };

// The name of a mark, or null for a word.
export const markName = (token) => MARK_NAMES[token] ?? null;
export const callToken = (token) => (markName(token) ? `the ${markName(token)} mark` : `“${token}”`);
