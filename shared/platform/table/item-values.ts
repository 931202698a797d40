/** Values of items. A value that DynamoDB would not return unchanged is rejected when it is written. */

/**
 * The item for the SDK. Throws for values that would be read back differently: the SDK drops functions, and writes bigints, Maps and
 * Sets. Undefined values are omitted when the item is sent.
 */
export const storable = (item: Readonly<Record<string, unknown>>): Record<string, unknown> => Object.fromEntries(membersOf(item));

const membersOf = (map: object): readonly (readonly [string, unknown])[] =>
  Object.entries(map).map(([name, value]) => {
    if (name === '__proto__') throw new TypeError('attribute name "__proto__" is not storable in DynamoDB');
    return [name, storableValue(value)] as const;
  });

const storableValue = (value: unknown): unknown => {
  if (value === undefined || value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number' && isExact(value)) return value;
  if (typeof value === 'number') throw new RangeError(`number is not representable in DynamoDB: ${value}`);
  if (value instanceof Uint8Array) return value;
  if (Array.isArray(value)) return value.map(storableValue);
  if (typeof value !== 'object' || ![Object.prototype, null].includes(Object.getPrototypeOf(value)))
    throw new TypeError(`a value of type ${typeof value} is not storable in DynamoDB`);
  // The SDK takes an object with a member of this name, such as a collection's id, for a class instance. A Map is stored the same way.
  return Object.hasOwn(value, 'constructor') ? new Map(membersOf(value)) : Object.fromEntries(membersOf(value));
};

const isExact = (value: number): boolean => Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value));

/** Reads a number attribute. The SDK would return a bigint for a large one. */
export const readNumber = (text: string): number => {
  const value = Number(text);
  if (!isExact(value)) throw new RangeError('number attribute is not representable in JavaScript');
  return value;
};

/** Returns the item as read, with every binary value in memory of its own: the SDK's are views of Node's shared buffer pool. */
export const readItem = <T extends Readonly<Record<string, unknown>>>(item: T): T => readValue(item) as T;

const readValue = (value: unknown): unknown => {
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Uint8Array) return Uint8Array.from(value);
  if (value instanceof Set) throw new TypeError('unexpected set attribute: no item contains sets');
  if (Array.isArray(value)) return value.map(readValue);
  // An attribute named `__proto__`, which no write of ours stores, would have become the prototype.
  if (Object.getPrototypeOf(value) !== Object.prototype) throw new TypeError('unexpected attribute name "__proto__"');
  const members = value as Record<string, unknown>;
  for (const name of Object.keys(members)) {
    const member = members[name];
    if (typeof member === 'object') members[name] = readValue(member);
  }
  return value;
};
