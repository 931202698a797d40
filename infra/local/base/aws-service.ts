/** What the front and the engines say to each other: a call comes in, what it needs is checked, an answer goes out. */
import type { IncomingHttpHeaders } from 'node:http';

export type Json = Readonly<Record<string, unknown>>;

/** A call as it came over the wire, body complete. */
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
  /** Any one of these suffices; almost always there is one. */
  readonly resources: readonly string[];
  /** What a policy's conditions may ask about the call. */
  readonly keys?: Readonly<Record<string, readonly string[]>>;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | string;
}

/** An error in a service's own words; the service turns it into its protocol's shape. */
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

/** One AWS service behind the front. */
export interface Service {
  read(call: Call): Operation;
  /** Undefined means that the local stage does not serve this operation. */
  needs(operation: Operation): readonly Need[] | undefined;
  answer(operation: Operation, call: Call): Promise<Answer>;
  refuse(error: AwsError): Answer;
}

/** What an engine adds to a protocol. */
export interface Engine {
  needs(operation: Operation): readonly Need[] | undefined;
  call(operation: Operation): unknown;
}

/** A field of the input that must be text. */
export const text = (input: Json, field: string): string => {
  const value = input[field];
  if (typeof value !== 'string' || value === '')
    throw new AwsError('ValidationException', `${field} is required and must be text`);
  return value;
};

/** Reads a JSON object; anything else is the caller's mistake. */
export const parseObject = (body: Buffer): Json => {
  if (body.length === 0) return {};
  try {
    const value: unknown = JSON.parse(body.toString('utf8'));
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Json;
  } catch {
    // Answered below, like any other body that is not an object.
  }
  throw new AwsError('SerializationException', 'The request body is not a JSON object');
};
