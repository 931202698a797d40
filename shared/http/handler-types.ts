/** Input and output types of a handler, derived from its endpoint: a mismatch does not compile. */
import type { APIGatewayProxyEventV2, Context } from 'aws-lambda';
import type * as z from 'zod/mini';
import type { Actor, Origin } from '../audit/index.ts';
import type { PersonalAccess } from '../contract/access.ts';
import type { Endpoint, Params } from '../contract/endpoint.ts';
import type { Change } from '../platform/index.ts';
import type { Participant, Person } from './authorize.ts';
import type { Decision } from './commit-decision.ts';
import type { RequestedPage } from './cursor.ts';
import type { Incoming } from './parse-request.ts';
import type { File, Response } from './responses.ts';

type Parsed<S> = S extends z.ZodMiniType ? z.output<S> : undefined;
type CallerOf<A> = A extends 'public'
  ? unknown
  : A extends PersonalAccess
    ? { readonly user: Person }
    : Participant & { readonly actor: Actor };

/** The validated input of a handler. */
export type Call<E extends Endpoint> = {
  readonly params: Params<E['path']>;
  readonly query: Parsed<E['query']>;
  readonly body: Parsed<E['body']>;
  readonly page: E['list'] extends z.ZodMiniType ? RequestedPage : E['paged'] extends true ? RequestedPage : undefined;
  readonly now: Date;
  readonly origin: Origin;
  readonly incoming: Incoming;
} & CallerOf<E['access']>;

type Payload<E extends Endpoint> = E['reply'] extends 'redirect'
  ? { readonly location: string }
  : E['reply'] extends 'file'
    ? { readonly file: File }
    : E['list'] extends z.ZodMiniType
      ? { readonly items: readonly z.input<E['list']>[]; readonly next: string | undefined }
      : E['data'] extends z.ZodMiniType
        ? { readonly data: z.input<E['data']> } & (E['paged'] extends true ? { readonly next: string | undefined } : unknown)
        : { readonly message: string };

/** The output of a handler: the response, and the change to commit before it is sent. */
export type HandlerAnswer<E extends Endpoint> = Payload<E> & {
  /** A promise is awaited concurrently with the commit. */
  readonly cookies?: readonly string[] | Promise<readonly string[]>;
  readonly status?: number;
} & (E['audit'] extends string ? { readonly change: Change } : { readonly change?: Change }) &
  // The handler of a public endpoint with an audit entry names the actor.
  (E['access'] extends 'public' ? (E['audit'] extends string ? { readonly actor: Actor } : unknown) : unknown);

export type Handler = (event: APIGatewayProxyEventV2, context?: Context) => Promise<Response>;

/** The output of any handler. */
export interface Outcome {
  readonly location?: string;
  readonly file?: File;
  readonly items?: readonly unknown[];
  readonly next?: string;
  readonly data?: unknown;
  readonly message?: string;
  readonly cookies?: Decision['cookies'];
  readonly status?: number;
  readonly change?: Change;
  readonly actor?: Actor;
}
