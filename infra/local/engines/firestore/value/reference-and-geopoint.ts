import { parseParent } from '../base/document-name.ts';
import { RpcError } from '../base/types.ts';
import type { WireReader } from '../proto/wire-reader.ts';

/** The size of a reference by the service's formula; throws if it is not a document name. */
export const referenceSize = (name: string): number => {
  const { path } = parseParent(name);
  if (path === '') throw invalid(`Document parent name "${name}" lacks "/" at index ${name.length}.`);
  return 16 + 1 + Buffer.byteLength(path);
};

/** Throws for coordinates out of range. */
export const checkGeoPoint = (reader: WireReader): void => {
  let latitude = 0;
  let longitude = 0;
  while (reader.next()) {
    if (reader.type !== 1) continue;
    if (reader.field === 1) latitude = reader.double();
    else if (reader.field === 2) longitude = reader.double();
  }
  const within = (what: string, value: number, most: number) => {
    if (value >= -most && value <= most) return;
    const text = Number.isInteger(value) ? value.toFixed(1) : String(value);
    throw invalid(`Geo point ${what} '${text}' outside permitted range -${most}.0 to ${most}.0.`);
  };
  within('latitude', latitude, 90);
  within('longitude', longitude, 180);
};

const invalid = (message: string): RpcError => new RpcError('INVALID_ARGUMENT', message);
