/** The TypeScript blocks of a guide, in order. */
export const readmeExamples = (readme: string): readonly string[] =>
  [...readme.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, code = '']) => code);
