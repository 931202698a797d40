/** What would break a client of an earlier version of the API: the difference of two OpenAPI documents. */

import { roles } from '../../../shared/contract/access.ts';

/** A lower bound that rises, or an upper one that falls, refuses what a client may have sent. */
const lowerBounds = ['minLength', 'minItems', 'minimum', 'exclusiveMinimum'] as const;
const upperBounds = ['maxLength', 'maxItems', 'maximum', 'exclusiveMaximum'] as const;
type Bounds = { readonly [B in (typeof lowerBounds)[number] | (typeof upperBounds)[number]]?: number };

interface Schema extends Bounds {
  readonly pattern?: string;
  readonly format?: string;
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}

interface Parameter {
  readonly $ref?: string;
  readonly name?: string;
  readonly in?: string;
  readonly required?: boolean;
  readonly schema?: Schema;
}

interface Body {
  readonly required?: boolean;
  readonly content?: Readonly<Record<string, { readonly schema?: Schema }>>;
}

/** Ways to sign in, each with the roles or scopes that it needs; none: anyone may call. */
type Security = readonly Readonly<Record<string, readonly string[]>>[];

interface Operation {
  readonly security?: Security;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: Body;
  readonly responses?: Readonly<Record<string, Body & { readonly $ref?: string }>>;
}

type Operations = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** As much of an OpenAPI document as is compared. */
export interface ComparedDocument {
  readonly paths: Operations;
  readonly webhooks?: Operations;
  readonly components: object;
}

/** One line for each change that breaks a client; none if every client of `before` works with `now`. */
export const breakingChanges = (before: ComparedDocument, now: ComparedDocument): readonly string[] => {
  const comparison = new Comparison(before, now);
  comparison.operations(before.paths, now.paths, false);
  comparison.operations(before.webhooks ?? {}, now.webhooks ?? {}, true);
  return comparison.found;
};

/** Of what a client sends the service must accept all; of what a client receives it must find all. */
type Direction = 'sent' | 'received';

class Comparison {
  readonly found: string[] = [];
  readonly #before: ComparedDocument;
  readonly #now: ComparedDocument;
  /** Pairs that are being compared, so that a schema that contains itself ends. */
  readonly #open = new Set<string>();

  constructor(before: ComparedDocument, now: ComparedDocument) {
    this.#before = before;
    this.#now = now;
  }

  /** The service sends the body of a webhook. */
  operations(before: Operations, now: Operations, areWebhooks: boolean): void {
    for (const [path, methods] of Object.entries(before))
      for (const [method, given] of Object.entries(methods)) {
        const name = areWebhooks ? `event ${path}` : `${method.toUpperCase()} ${path}`;
        const kept = now[path]?.[method];
        if (kept === undefined) this.found.push(`${name} is gone`);
        else this.#operation(given as Operation, kept as Operation, { name, direction: areWebhooks ? 'received' : 'sent' });
      }
  }

  #operation(
    before: Operation,
    now: Operation,
    { name, direction }: { readonly name: string; readonly direction: Direction },
  ): void {
    this.#access(before.security ?? [], now.security ?? [], name);
    this.#parameters(before, now, name);
    for (const [type, { schema }] of Object.entries(before.requestBody?.content ?? {}))
      this.#schemas([schema, now.requestBody?.content?.[type]?.schema], direction, `${name} body`);
    if (now.requestBody?.required && !before.requestBody?.required && direction === 'sent')
      this.found.push(`${name} needs a body`);
    for (const [status, response] of Object.entries(before.responses ?? {})) {
      if (!status.startsWith('2')) continue;
      const kept = now.responses?.[status];
      if (!kept) this.found.push(`${name} no longer answers ${status}`);
      else
        for (const [type, { schema }] of Object.entries(response.content ?? {}))
          this.#schemas([schema, kept.content?.[type]?.schema], 'received', `${name} ${status}`);
    }
  }

  /** Who was allowed to call still is: by every way to sign in, with no higher role and no further scope. */
  #access(before: Security, now: Security, name: string): void {
    if (now.length === 0) return;
    if (before.length === 0) return void this.found.push(`${name} needs a sign-in now`);
    for (const [scheme, needed] of before.flatMap((way) => Object.entries(way))) {
      const kept = now.find((way) => scheme in way)?.[scheme];
      if (!kept) this.found.push(`${name} no longer takes ${scheme}`);
      else
        for (const one of kept.filter((each) => !needed.some((had) => isEnough(had, each))))
          this.found.push(`${name} needs ${one} now (${scheme})`);
    }
  }

  #parameters(before: Operation, now: Operation, name: string): void {
    const keyed = (document: ComparedDocument, { parameters = [] }: Operation) =>
      new Map(
        parameters.map((given) => {
          const parameter = resolve<Parameter>(document, given);
          return [`${parameter.in} ${parameter.name}`, parameter];
        }),
      );
    const [old, kept] = [keyed(this.#before, before), keyed(this.#now, now)];
    for (const [key, { schema }] of old) {
      if (!kept.has(key)) this.found.push(`${name}: parameter ${key} is gone`);
      else this.#schemas([schema, kept.get(key)?.schema], 'sent', `${name}: parameter ${key}`);
    }
    for (const [key, { required }] of kept)
      if (required && !old.get(key)?.required) this.found.push(`${name}: parameter ${key} is required`);
  }

  #schemas([given, kept]: readonly [Schema | undefined, Schema | undefined], direction: Direction, at: string): void {
    if (!given) return;
    if (!kept) return void this.found.push(`${at} is gone`);
    const pair = JSON.stringify([given.$ref, kept.$ref, direction]);
    if (given.$ref && this.#open.has(pair)) return;
    this.#open.add(pair);
    const [before, now] = [merged(this.#before, given), merged(this.#now, kept)];
    this.#values(before, now, { direction, at });
    if (direction === 'sent') this.#limits(before, now, at);
    this.#properties(before, now, { direction, at });
    if (before.items) this.#schemas([before.items, now.items], direction, `${at}[]`);
    if (typeof before.additionalProperties === 'object' && typeof now.additionalProperties === 'object')
      this.#schemas([before.additionalProperties, now.additionalProperties], direction, `${at}.*`);
    this.#options(before, now, { direction, at });
    this.#open.delete(pair);
  }

  #values(before: Schema, now: Schema, { direction, at }: { readonly direction: Direction; readonly at: string }): void {
    const [old, types] = [typesOf(before), typesOf(now)];
    const [wide, narrow] = direction === 'sent' ? [types, old] : [old, types];
    const other = wide.length > 0 ? narrow.filter((type) => !wide.includes(type)) : [];
    if (other.length > 0) this.found.push(`${at} ${direction === 'sent' ? 'must not be' : 'may be'} ${other.join(' or ')} now`);
    const gone = now.enum ? (before.enum ?? []).filter((value) => !now.enum?.includes(value)) : [];
    if (gone.length > 0) this.found.push(`${at} no longer has ${gone.join(', ')}`);
    if (direction === 'sent' && now.enum && !before.enum) this.found.push(`${at} has only some values now`);
  }

  #limits(before: Schema, now: Schema, at: string): void {
    for (const bound of lowerBounds)
      if ((now[bound] ?? Number.NEGATIVE_INFINITY) > (before[bound] ?? usualBound(bound)))
        this.found.push(`${at} has ${bound} ${now[bound]} now`);
    for (const bound of upperBounds)
      if ((now[bound] ?? Number.POSITIVE_INFINITY) < (before[bound] ?? Number.POSITIVE_INFINITY))
        this.found.push(`${at} has ${bound} ${now[bound]} now`);
    for (const form of ['pattern', 'format'] as const)
      if (now[form] !== undefined && now[form] !== before[form]) this.found.push(`${at} has another ${form} now: ${now[form]}`);
    if (now.additionalProperties === false && before.additionalProperties !== false && before.properties)
      this.found.push(`${at} must not have further fields now`);
  }

  #properties(before: Schema, now: Schema, { direction, at }: { readonly direction: Direction; readonly at: string }): void {
    for (const [name, schema] of Object.entries(before.properties ?? {})) {
      const kept = now.properties?.[name];
      if (!kept) this.found.push(`${at}.${name} is gone`);
      else this.#schemas([schema, kept], direction, `${at}.${name}`);
    }
    const [old, required] = [before.required ?? [], now.required ?? []];
    if (direction === 'sent') for (const name of required) if (!old.includes(name)) this.found.push(`${at}.${name} is required`);
    if (direction === 'received')
      for (const name of old)
        if (now.properties?.[name] && !required.includes(name)) this.found.push(`${at}.${name} may be absent now`);
  }

  /** Each of the alternatives that were there must still be possible. */
  #options(before: Schema, now: Schema, { direction, at }: { readonly direction: Direction; readonly at: string }): void {
    const [old, options] = [optionsOf(before), optionsOf(now)];
    for (const [n, option] of old.entries()) {
      const changes = (options.length > 0 ? options : [now]).map((one) => this.#changesOf([option, one], direction, at));
      const least = changes.toSorted((a, b) => a.length - b.length)[0] ?? [];
      if (least.length > 0) this.found.push(...least.map((change) => `${change} (alternative ${n + 1})`));
    }
  }

  #changesOf(pair: readonly [Schema, Schema], direction: Direction, at: string): readonly string[] {
    const probe = new Comparison(this.#before, this.#now);
    for (const open of this.#open) probe.#open.add(open);
    probe.#schemas(pair, direction, at);
    return probe.found;
  }
}

/** Nothing is shorter than empty; numbers have no end. */
const usualBound = (bound: (typeof lowerBounds)[number]): number =>
  bound === 'minLength' || bound === 'minItems' ? 0 : Number.NEGATIVE_INFINITY;

/** Each role may do what the ones before it may. A scope is enough for itself. */
const isEnough = (had: string, needed: string): boolean => {
  const [ours, theirs] = [had, needed].map((name) => (roles as readonly string[]).indexOf(name));
  return had === needed || (theirs !== undefined && ours !== undefined && theirs >= 0 && theirs <= ours);
};

const optionsOf = ({ anyOf = [], oneOf = [] }: Schema): readonly Schema[] => [...anyOf, ...oneOf];

const typesOf = ({ type }: Schema): readonly string[] => {
  const types = type === undefined ? [] : typeof type === 'string' ? [type] : type;
  // Every integer is a number.
  return types.includes('number') ? [...types, 'integer'] : types;
};

const resolve = <T extends { readonly $ref?: string }>(document: ComparedDocument, given: T): T => {
  if (given.$ref === undefined) return given;
  const path = given.$ref.replace('#/', '').split('/');
  const found = path.reduce<unknown>(
    (value, name) => (value as Record<string, unknown> | undefined)?.[name.replaceAll('~1', '/')],
    document,
  );
  return (found ?? given) as T;
};

/** A schema with its reference resolved, and with the parts of `allOf` as one. */
const merged = (document: ComparedDocument, given: Schema): Schema => {
  const { allOf = [], ...schema } = resolve(document, given);
  const parts = [schema, ...allOf.map((part) => merged(document, part))];
  const properties = Object.assign({}, ...parts.map((part) => part.properties));
  return Object.assign({}, ...parts, {
    ...(Object.keys(properties).length > 0 && { properties }),
    required: parts.flatMap(({ required = [] }) => required),
  }) as Schema;
};
