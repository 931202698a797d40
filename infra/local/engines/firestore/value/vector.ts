import { limits } from '../base/limits.ts';
import { RpcError } from '../base/types.ts';
import { eachEntry, readValue, type Value } from './value.ts';

/** Whether an encoded MapValue is one of the service's own types, of which only the vector exists; throws for an invalid one. */
export const checkVector = (map: Uint8Array, property: string): boolean => {
  let type: Value | undefined;
  let values: Value | undefined;
  let count = 0;
  eachEntry(map, 0, map.length, 1, (name, start, stop) => {
    count++;
    if (name === '__type__') type = readValue(map, start, stop);
    // Only a vector's values are needed here.
    else if (name === 'value' && count <= 2) values = readValue(map, start, stop);
  });
  if (!type) return false;
  if (type.kind !== 'string') throw invalid(`Field __type__ must be a string; founds ${type.kind.toUpperCase()}.`);
  if (type.value !== '__vector__') throw invalid(`Property ${property} contains an invalid nested entity.`);
  if (!values) throw invalid("Vector map is missing key 'value'.");
  if (values.kind !== 'array') throw invalid('Vector value type must be an array.');
  if (count > 2) throw invalid('Vector value map has extraneous entries.');
  checkElements(values.values);
  return true;
};

const checkElements = (values: readonly Value[]): void => {
  if (values.length === 0) throw invalid('Cannot have a zero length vector.');
  if (values.length > limits.vectorDimensions) throw invalid(`Vectors must be at most ${limits.vectorDimensions} dimensions.`);
  for (const value of values) {
    if (value.kind !== 'double') throw invalid("Vector must only contain values of type 'double'");
    if (Number.isNaN(value.value)) throw invalid('Vector cannot contain NaN values.');
  }
};

const invalid = (message: string): RpcError => new RpcError('INVALID_ARGUMENT', message);
