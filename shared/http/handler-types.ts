/** What a handler is given and what it decides, both computed from its row: a wrong one does not compile. */
import type { APIGatewayProxyEventV2, Context } from 'aws-lambda';
import type * as z from 'zod';
import type { Actor, Origin } from '../audit/index.ts';
import type { Endpoint, Params } from '../contract/endpoint.ts';
import type { Change } from '../platform/index.ts';
import type { Participant, Person } from './authorize.ts';
import type { Decision } from './commit-decision.ts';
import type { Page } from './cursor.ts';
import type { Incoming } from './parse-request.ts';
import type { File, Response } from './responses.ts';

type Parsed<S> = S extends z.ZodType ? z.output<S> : undefined;
type CallerOf<A> = A extends 'public'
  ? unknown
  : A extends 'user'
    ? { readonly user: Person }
    : Participant & { readonly actor: Actor };

/** What a handler is given: everything about the call, checked. */
export type Call<E extends Endpoint> = {
  readonly params: Params<E['path']>;
  readonly query: Parsed<E['query']>;
  readonly body: Parsed<E['body']>;
  readonly page: E['list'] extends z.ZodType ? Page : E['paged'] extends true ? Page : undefined;
  readonly now: Date;
  readonly origin: Origin;
  readonly incoming: Incoming;
} & CallerOf<E['access']>;

type Payload<E extends Endpoint> = E['reply'] extends 'redirect'
  ? { readonly location: string }
  : E['reply'] extends 'file'
    ? { readonly file: File }
    : E['list'] extends z.ZodType
      ? { readonly items: readonly z.input<E['list']>[]; readonly next: string | undefined }
      : E['data'] extends z.ZodType
        ? { readonly data: z.input<E['data']> } & (E['paged'] extends true ? { readonly next: string | undefined } : unknown)
        : { readonly message: string };

/** What a handler decides: the answer, and the change that must be committed before it is given. */
export type Answer<E extends Endpoint> = Payload<E> & {
  /** A promise is waited for beside the commit. */
  readonly cookies?: readonly string[] | Promise<readonly string[]>;
  readonly status?: number;
} & (E['audit'] extends string ? { readonly change: Change } : { readonly change?: Change }) &
  // Where nobody had to say who they are, the handler says who it turned out to be.
  (E['access'] extends 'public' ? (E['audit'] extends string ? { readonly actor: Actor } : unknown) : unknown);

export type Handler = (event: APIGatewayProxyEventV2, context?: Context) => Promise<Response>;

/** An answer of any row, as the pipeline sees it. */
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
