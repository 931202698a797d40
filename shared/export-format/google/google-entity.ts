import { ArchiveError } from '../../archive/index.ts';
import type { RestFields, RestValue } from '../../firestore/index.ts';
import type { ExportRow } from '../export-row.ts';
import { type ExportValue, exportValue, microsecondsOf } from '../export-value.ts';
import { WireWriter } from './wire-writer.ts';

/** Field numbers of App Engine's `EntityProto` and its parts, as the package appengine-python-standard publishes them. */
const entity = { key: 13, property: 14, rawProperty: 15, entityGroup: 16 } as const;
const reference = { app: 13, path: 14, databaseId: 23 } as const;
const element = { group: 1, type: 2, id: 3, name: 4 } as const;
const property = { meaning: 1, name: 3, multiple: 4, value: 5 } as const;
const valueField = { int64: 1, boolean: 2, string: 3, double: 4, point: 5, x: 6, y: 7, reference: 12 } as const;
const referenceValue = { app: 13, element: 14, type: 15, id: 16, name: 17, databaseId: 23 } as const;
const meaning = { when: 7, point: 9, blob: 14, entity: 19, emptyList: 24 } as const;
/** The property that holds each number of a vector. */
const vectorProperty = '__vector__';

/** Encodes documents as the records of Google's export format, in the form in which the Firestore emulator writes them. */
export class GoogleEntity {
  readonly #writer = new WireWriter();

  /** Valid until the next call. */
  encode(row: ExportRow): Buffer {
    const writer = this.#writer.reset();
    const { project, database } = addressOf(row.root);
    const ids = row.path.split('/');
    writer.message(entity.key, () => {
      writer.bytesField(reference.app, appOf(project));
      writer.message(reference.path, () => this.#elements(ids));
      if (database !== defaultDatabase) writer.bytesField(reference.databaseId, database);
    });
    this.#properties(row.fields);
    writer.message(entity.entityGroup, () => this.#elements(ids.slice(0, 2)));
    return writer.bytes;
  }

  #elements(ids: readonly string[]): void {
    for (let n = 0; n < ids.length; n += 2) {
      this.#writer.group(element.group, () => {
        this.#writer.bytesField(element.type, ids[n] ?? '');
        this.#id(element, ids[n + 1] ?? '');
      });
    }
  }

  /** Datastore's numeric ids are `__id7__` in Firestore. */
  #id(fields: { readonly id: number; readonly name: number }, id: string): void {
    const number = /^__id(0|-?[1-9]\d{0,18})__$/.exec(id)?.[1];
    if (number !== undefined && BigInt.asIntN(64, BigInt(number)) === BigInt(number))
      this.#writer.int64(fields.id, BigInt(number));
    else this.#writer.bytesField(fields.name, id);
  }

  /** Empty arrays first, as properties of their own meaning; every other array is a property for each element. */
  #properties(fields: RestFields): void {
    const all = Object.entries(fields).map(([name, value]) => ({ name, typed: exportValue(value) }));
    const writer = this.#writer;
    for (const { name, typed } of all) {
      if (typed.kind !== 'array' || typed.values.length > 0) continue;
      writer.message(entity.property, () => {
        writer.number(property.meaning, meaning.emptyList);
        writer.bytesField(property.name, name);
        writer.number(property.multiple, 0);
        writer.message(property.value, () => undefined);
      });
    }
    for (const { name, typed } of all) {
      if (typed.kind === 'array') for (const one of typed.values) this.#property(name, elementOf(one), true);
      else this.#property(name, typed, false);
    }
  }

  #property(name: string, typed: ExportValue, isMultiple: boolean): void {
    const writer = this.#writer;
    writer.message(entity.rawProperty, () => {
      const kind = meaningOf(typed);
      if (kind !== undefined) writer.number(property.meaning, kind);
      writer.bytesField(property.name, name);
      writer.number(property.multiple, isMultiple ? 1 : 0);
      writer.message(property.value, () => this.#value(typed));
    });
  }

  #value(typed: ExportValue): void {
    const writer = this.#writer;
    const { kind } = typed;
    if (kind === 'boolean') writer.number(valueField.boolean, typed.value ? 1 : 0);
    else if (kind === 'integer') writer.int64(valueField.int64, BigInt(typed.value));
    else if (kind === 'timestamp') writer.int64(valueField.int64, microsecondsOf(typed.value));
    else if (kind === 'double') writer.double(valueField.double, typed.value);
    else if (kind === 'string') writer.bytesField(valueField.string, typed.value);
    else if (kind === 'bytes') writer.bytesField(valueField.string, Buffer.from(typed.value, 'base64'));
    else if (kind === 'reference') this.#reference(typed.value);
    else if (kind === 'geoPoint') this.#point(typed);
    else if (kind === 'vector') this.#nested(() => this.#vector(typed.values));
    else if (kind === 'map') this.#nested(() => this.#properties(typed.fields));
    else if (kind !== 'null') throw unsupported('a value of an unknown type');
  }

  #point({ latitude, longitude }: { readonly latitude: number; readonly longitude: number }): void {
    this.#writer.group(valueField.point, () => {
      this.#writer.double(valueField.x, latitude);
      this.#writer.double(valueField.y, longitude);
    });
  }

  #vector(values: readonly number[]): void {
    for (const value of values) this.#property(vectorProperty, { kind: 'double', value }, true);
  }

  /** A map is an entity of its own, with an empty key, as bytes. */
  #nested(write: () => void): void {
    const writer = this.#writer;
    writer.message(valueField.string, () => {
      writer.message(entity.key, () => {
        writer.bytesField(reference.app, '');
        writer.message(reference.path, () => undefined);
      });
      write();
      writer.message(entity.entityGroup, () => undefined);
    });
  }

  #reference(name: string): void {
    const writer = this.#writer;
    const { project, database, ids } = addressOf(name);
    writer.group(valueField.reference, () => {
      writer.bytesField(referenceValue.app, appOf(project));
      for (let n = 0; n < ids.length; n += 2) {
        writer.group(referenceValue.element, () => {
          writer.bytesField(referenceValue.type, ids[n] ?? '');
          this.#id(referenceValue, ids[n + 1] ?? '');
        });
      }
      if (database !== defaultDatabase) writer.bytesField(referenceValue.databaseId, database);
    });
  }
}

const defaultDatabase = '(default)';

/** The app of a project as exports of production name it; the emulator writes `dev~`, and reads both. */
const appOf = (project: string): string => `s~${project}`;

/** The parts of `projects/p/databases/d/documents/c/id`. */
const addressOf = (name: string): { readonly project: string; readonly database: string; readonly ids: readonly string[] } => {
  const [, project = '', , database = '', , ...ids] = name.split('/');
  return { project, database, ids };
};

const meaningOf = ({ kind }: ExportValue): number | undefined => {
  if (kind === 'timestamp') return meaning.when;
  if (kind === 'bytes') return meaning.blob;
  if (kind === 'geoPoint') return meaning.point;
  return kind === 'map' || kind === 'vector' ? meaning.entity : undefined;
};

const elementOf = (value: RestValue): ExportValue => {
  const typed = exportValue(value);
  if (typed.kind === 'array') throw unsupported('an array in an array');
  return typed;
};

const unsupported = (what: string): ArchiveError =>
  new ArchiveError('record-invalid', `it has ${what}, which Google's export format does not have`);
