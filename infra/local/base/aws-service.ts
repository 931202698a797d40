/** The interface between the AWS endpoint and its engines: parse the call, check its permissions, answer it. */
import type { IncomingHttpHeaders } from 'node:http';

export type Json = Readonly<Record<string, unknown>>;

export interface Call {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface Operation {
  readonly action: string;
  readonly input: Json;
}

/** A permission the caller must have. */
export interface Need {
  readonly action: string;
  /** One of these must be allowed. Almost always there is exactly one. */
  readonly resources: readonly string[];
  readonly keys?: Readonly<Record<string, readonly string[]>>;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | string;
}

/** An AWS error response. The service encodes it in its own protocol. */
export class AwsError extends Error {
  readonly code: string;
  readonly status: number;

  constructor(code: string, message: string, status = 400) {
    super(message);
    this.name = code;
    this.code = code;
    this.status = status;
  }
}

export interface Service {
  read(call: Call): Operation;
  /** Undefined: the local stage does not support this operation. */
  needs(operation: Operation): readonly Need[] | undefined;
  answer(operation: Operation, call: Call): Promise<Answer>;
  refuse(error: AwsError): Answer;
}

/** The operations of an engine, without the protocol. */
export interface Engine {
  needs(operation: Operation): readonly Need[] | undefined;
  call(operation: Operation): unknown;
}

type Operations = Readonly<Record<string, (input: Json) => unknown>>;

/** An engine from its operations and the permissions each of them needs. */
export const makeEngine = (operations: Operations, needs: (operation: Operation) => readonly Need[]): Engine => ({
  needs: (operation) => (Object.hasOwn(operations, operation.action) ? needs(operation) : undefined),
  call: ({ action, input }) => operations[action]?.(input),
});

/** Where an engine keeps its state, and the region and account it simulates. */
export interface EngineOptions {
  readonly dir: string;
  readonly region: string;
  readonly account: string;
}

export const text = (input: Json, field: string): string => {
  const value = input[field];
  if (typeof value !== 'string' || value === '')
    throw new AwsError('ValidationException', `${field} is required and must be a string`);
  return value;
};

/** Parses a JSON object; throws a client error for anything else. */
export const parseObject = (body: Buffer): Json => {
  if (body.length === 0) return {};
  try {
    const value: unknown = JSON.parse(body.toString('utf8'));
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Json;
  } catch {
    // Reported below, like any other body that is not an object.
  }
  throw new AwsError('SerializationException', 'The request body is not a JSON object');
};
