/** Prompts for a secret on a terminal without echo; undefined if stdin is not a terminal. */
export const promptSecret = async (question: string): Promise<string | undefined> => {
  const { stdin, stderr } = process;
  if (!stdin.isTTY) return undefined;
  stderr.write(question);
  stdin.setRawMode(true);
  stdin.setEncoding('utf8');
  let text = '';
  try {
    for await (const typed of stdin as AsyncIterable<string>)
      for (const character of typed) {
        if (character === '\r' || character === '\n' || character === '\u0004') return text;
        if (character === '\u0003') process.exit(130);
        text = character === '\u007f' || character === '\b' ? text.slice(0, -1) : text + character;
      }
    return text;
  } finally {
    stdin.setRawMode(false);
    stdin.pause();
    stderr.write('\n');
  }
};
