/**
 * JSON that keeps the sign of -0, which Firestore stores. `JSON.rawJSON` would keep it, too, but Node 20 lacks it. Undefined is an
 * empty text.
 */
export const toJson = (data: unknown, indent?: number): string => {
  let hasMinusZero = false;
  const plain: string | undefined = JSON.stringify(
    data,
    (_, value) => {
      hasMinusZero ||= Object.is(value, -0);
      return value;
    },
    indent,
  );
  if (plain === undefined || !hasMinusZero) return plain ?? '';
  // A text that is nowhere in the data stands for it.
  let marker = '-0';
  while (plain.includes(marker)) marker += '0';
  return JSON.stringify(data, (_, value) => (Object.is(value, -0) ? marker : value), indent).replaceAll(`"${marker}"`, '-0');
};
