import { randomUUID } from 'node:crypto';

const minusZero = `-0 ${randomUUID()}`;

/**
 * JSON that keeps the sign of -0, which Firestore stores. `JSON.rawJSON` would keep it, too, but Node 20 lacks it. Undefined is an
 * empty text.
 */
export const toJson = (data: unknown, indent?: number): string => {
  const text: string | undefined = JSON.stringify(data, (_, value) => (Object.is(value, -0) ? minusZero : value), indent);
  return text?.replaceAll(`"${minusZero}"`, '-0') ?? '';
};
