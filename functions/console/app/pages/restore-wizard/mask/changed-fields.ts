interface ChangedField {
  readonly name: string;
  readonly before: unknown;
  readonly after: unknown;
}
type Fields = Readonly<Record<string, unknown>>;

/** The fields that rules changed. Every copy points its references to the documents of the target, which no rule does. */
export const changedFields = (before: Fields, after: Fields): readonly ChangedField[] =>
  Object.keys(after)
    .filter((name) => withoutDatabases(before[name]) !== withoutDatabases(after[name]))
    .map((name) => ({ name, before: before[name], after: after[name] }));

const withoutDatabases = (value: unknown): string | undefined =>
  JSON.stringify(value)?.replaceAll(/"referenceValue":"projects\/[^/"]+\/databases\/[^/"]+\/documents\//g, '"referenceValue":"');
