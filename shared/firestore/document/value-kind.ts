/** Field numbers in google.firestore.v1.Value. */
export const valueKind = {
  boolean: 1,
  integer: 2,
  double: 3,
  reference: 5,
  map: 6,
  geoPoint: 8,
  array: 9,
  timestamp: 10,
  null: 11,
  string: 17,
  bytes: 18,
} as const;
