type Labels = Readonly<Record<string, string>>;

/** { team: 'shop', env: 'test' } → team=shop, env=test */
export const labelsText = (labels: Labels): string =>
  Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(', ');

/** The labels of the text, and null for those that it no longer has. The service says what is wrong with one. */
export const labelsChange = (before: Labels, text: string): Readonly<Record<string, string | null>> => ({
  ...Object.fromEntries(Object.keys(before).map((key) => [key, null])),
  ...Object.fromEntries(
    text
      .split(',')
      .map((entry) => entry.trim())
      .filter((entry) => entry !== '')
      .map((entry) => {
        const at = entry.indexOf('=');
        return at < 0 ? [entry, ''] : [entry.slice(0, at).trim(), entry.slice(at + 1).trim()];
      }),
  ),
});
