import { parseParent } from '../base/document-name.ts';
import { limits } from '../base/limits.ts';
import { RpcError } from '../base/types.ts';
import { isText, readText, WireError, WireReader } from '../proto/wire-reader.ts';
import { isReservedField } from './field-path.ts';
import { KnownNames } from './known-names.ts';
import { readTimestamp, valueField } from './value.ts';
import { checkVector } from './vector.ts';

const knownNames = new KnownNames();

/** Validates a document's fields in one pass. `property` is the service's name of the position: a top-level field, or `array`. */
export class FieldWalk {
  size = 0;
  /** A name occurs twice, or a timestamp is more precise than stored ones. */
  mustRewrite = false;

  /** One field of a document (no property yet) or of a map inside `property`. */
  entry(entry: WireReader, names: Set<string>, property: string, depth: number): void {
    let nameStart = 0;
    let nameStop = 0;
    let valueStart = -1;
    let valueStop = -1;
    while (entry.next()) {
      if (entry.type !== 2) continue;
      if (entry.field === 1) {
        nameStart = entry.start;
        nameStop = entry.stop;
      } else if (entry.field === 2) {
        valueStart = entry.start;
        valueStop = entry.stop;
      }
    }
    const known = knownNames.find(entry.bytes, nameStart, nameStop);
    const name = known ?? readText(entry.bytes, nameStart, nameStop);
    if (known === undefined) {
      this.#name(name, nameStop - nameStart, property, isText(entry.bytes, nameStart, nameStop));
      knownNames.add(entry.bytes, nameStart, nameStop, name);
    }
    if (names.has(name)) this.mustRewrite = true;
    names.add(name);
    this.size += nameStop - nameStart + 1;
    if (valueStart < 0) throw unset();
    this.value(new WireReader(entry.bytes, valueStart, valueStop), property === '' ? name : property, depth, false);
  }

  value(reader: WireReader, property: string, depth: number, inArray: boolean): void {
    let known = false;
    let size = 0;
    while (reader.next()) {
      known = true;
      const before = this.size;
      this.#typed(reader, property, depth, inArray);
      size = this.size - before;
      this.size = before;
    }
    if (!known) throw unset();
    this.size += size;
  }

  #typed(reader: WireReader, property: string, depth: number, inArray: boolean): void {
    switch (reader.field) {
      case valueField.null:
      case valueField.boolean:
        expect(reader, 0);
        this.size += 1;
        return;
      case valueField.integer:
        expect(reader, 0);
        this.size += 8;
        return;
      case valueField.double:
        expect(reader, 1);
        this.size += 8;
        return;
      case valueField.timestamp:
        this.#timestamp(reader);
        return;
      case valueField.string:
        expect(reader, 2);
        if (!isText(reader.bytes, reader.start, reader.stop)) throw notUtf8();
        this.#long(reader, property, depth);
        this.size += reader.stop - reader.start + 1;
        return;
      case valueField.bytes:
        expect(reader, 2);
        this.#long(reader, property, depth);
        this.size += reader.stop - reader.start;
        return;
      case valueField.reference:
        expect(reader, 2);
        if (!isText(reader.bytes, reader.start, reader.stop)) throw notUtf8();
        this.size += referenceSize(reader.text());
        return;
      case valueField.geoPoint:
        expect(reader, 2);
        checkGeoPoint(reader.inner());
        this.size += 16;
        return;
      case valueField.array:
        this.#array(reader, property, depth, inArray);
        return;
      case valueField.map:
        this.#map(reader, property, depth);
        return;
      case valueField.fieldReference:
      case valueField.variableReference:
      case valueField.function:
      case valueField.pipeline:
        throw invalid('Cannot convert firestore.v1.Value of an expression: it is not allowed when writing documents.');
      default:
        // Value types of later versions of the service are kept as they are.
        this.size += reader.stop - reader.start;
    }
  }

  #timestamp(reader: WireReader): void {
    expect(reader, 2);
    const { seconds, nanos } = readTimestamp(reader.inner());
    if (seconds < -62_135_596_800 || seconds > 253_402_300_799 || nanos < 0 || nanos > 999_999_999)
      throw invalid('Timestamp value exceeds limits: it must be from 0001-01-01T00:00:00Z to 9999-12-31T23:59:59.999999999Z.');
    if (nanos % 1000 !== 0) this.mustRewrite = true;
    this.size += 8;
  }

  #array(reader: WireReader, property: string, depth: number, inArray: boolean): void {
    expect(reader, 2);
    if (inArray) throw invalid('Nested arrays are not allowed');
    if (depth + 1 > limits.depth) throw nested(property);
    const place = depth === 0 ? 'array' : property;
    const before = this.size;
    const values = reader.inner();
    while (values.next()) {
      if (values.field === 1 && values.type === 2) this.value(values.inner(), place, depth + 1, true);
    }
    if (this.size === before) this.size += 1;
  }

  #map(reader: WireReader, property: string, depth: number): void {
    expect(reader, 2);
    if (depth + 1 > limits.depth) throw nested(property);
    if (mayHaveType(reader) && checkVector(reader.slice(), property)) {
      this.size += reader.stop - reader.start;
      return;
    }
    const before = this.size;
    const names = new Set<string>();
    const entries = reader.inner();
    while (entries.next()) if (entries.field === 1 && entries.type === 2) this.entry(entries.inner(), names, property, depth + 1);
    if (this.size === before) this.size += 1;
  }

  #name(name: string, bytes: number, property: string, isText: boolean): void {
    if (!isText) throw notUtf8();
    const top = property === '';
    if (name === '') throw top ? invalid('The property.name is the empty string.') : nested(property);
    if (bytes > limits.fieldNameBytes)
      throw top ? invalid(`The property.name is longer than ${limits.fieldNameBytes} bytes.`) : nested(property);
    if (isReservedField(name)) throw invalid(top ? `field name ${name} is reserved` : `field name '${name}' is reserved.`);
  }

  /** For nested values the service's message is less specific. */
  #long(reader: WireReader, property: string, depth: number): void {
    if (reader.stop - reader.start <= limits.valueBytes) return;
    const direct = depth === 0 || (depth === 1 && property === 'array');
    throw direct ? invalid(`The value of property "${property}" is longer than ${limits.valueBytes} bytes.`) : nested(property);
  }
}

/** Whether `__type__`, the name that marks a vector, occurs. Most maps have no two underscores, and need no call into C++. */
const mayHaveType = ({ bytes, start, stop }: WireReader): boolean => {
  for (let at = start + 1; at < stop; at += 2)
    if (bytes[at] === underscore && (bytes[at - 1] === underscore || bytes[at + 1] === underscore))
      return Buffer.from(bytes.buffer, bytes.byteOffset + start, stop - start).includes('__type__');
  return false;
};
const underscore = 0x5f;

const expect = (reader: WireReader, type: number): void => {
  if (reader.type !== type) throw new WireError(`field ${reader.field} has wire type ${reader.type}`);
};

const invalid = (message: string): RpcError => new RpcError('INVALID_ARGUMENT', message);
const nested = (property: string): RpcError => invalid(`Property ${property} contains an invalid nested entity.`);
const unset = (): RpcError => invalid('Cannot convert firestore.v1.Value with type unset.');
const notUtf8 = (): RpcError => invalid('Request message could not be parsed: a string is not UTF-8.');

/** The size of a reference by the service's formula; throws if it is not a document name. */
const referenceSize = (name: string): number => {
  const { path } = parseParent(name);
  if (path === '') throw invalid(`Document parent name "${name}" lacks "/" at index ${name.length}.`);
  return 16 + 1 + Buffer.byteLength(path);
};

/** Throws for coordinates out of range. */
const checkGeoPoint = (reader: WireReader): void => {
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
