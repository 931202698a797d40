/** Values of the Firestore REST format as plain JSON, for reading: integers become numbers or, if too large, texts. */
type RestValue = Readonly<Record<string, unknown>>;
export type RestFields = Readonly<Record<string, RestValue>>;

export const plainFields = (fields: RestFields): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, plainValue(value)]));

export const plainValue = (value: RestValue): unknown => {
  const [kind = 'nullValue', content] = Object.entries(value)[0] ?? [];
  if (kind === 'integerValue') return Number.isSafeInteger(Number(content)) ? Number(content) : content;
  if (kind === 'mapValue') return plainFields((content as { fields?: RestFields }).fields ?? {});
  if (kind === 'arrayValue') return ((content as { values?: readonly RestValue[] }).values ?? []).map(plainValue);
  return content;
};
