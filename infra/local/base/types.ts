/** The words the parts of the local stage use with each other. */
import type { RequestListener } from 'node:http';

/** An IAM statement with every intrinsic resolved to text. */
export interface Statement {
  readonly Effect: 'Allow' | 'Deny';
  readonly Action: readonly string[];
  readonly Resource: readonly string[];
  readonly Condition?: Readonly<Record<string, Readonly<Record<string, string | readonly string[]>>>>;
}

/** Who makes an AWS call, known by the access key it is signed with. */
export interface Principal {
  readonly name: string;
  readonly statements: readonly Statement[];
}

/** A service of AWS that acts under a role, and the resource of the template it does so for. */
export interface Actor {
  /** Such as `scheduler.amazonaws.com`. */
  readonly service: string;
  readonly sourceArn: string;
}

/** Throws AccessDeniedException unless the role trusts the actor and allows it this. */
export type Permit = (
  roleArn: string,
  actor: Actor,
  need: { readonly action: string; readonly resources: readonly string[] },
) => void;

/** A resource of the template that an engine must bring into being, its properties resolved. */
export interface Resource {
  readonly logicalId: string;
  readonly type: string;
  /** The physical name (table name, queue name, key id, state machine name, …). */
  readonly name: string;
  readonly arn: string;
  readonly properties: Readonly<Record<string, unknown>>;
}

/** A mail the service sent. */
export interface Mail {
  readonly id: string;
  readonly from: string;
  readonly to: readonly string[];
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly sentAt: string;
}

/** A permission a caller had and needed. */
export interface Used {
  readonly principal: string;
  readonly action: string;
  /** The pattern as the policy has it. */
  readonly resource: string;
  /** The one value of each condition that has values to choose from. */
  readonly conditions: readonly string[];
}

export interface AwsOptions {
  /** Where engines keep their state. */
  readonly dir: string;
  readonly region: string;
  readonly account: string;
  /** Delays and clocks run this many times faster. */
  readonly delayScale: number;
  /** The caller behind an access key; undefined is refused as AWS refuses an unknown key. */
  readonly principal: (accessKeyId: string) => Principal | undefined;
  /** Runs a Lambda function, for the Scheduler and Step Functions. Rejects with the error the function threw. */
  readonly invoke: (functionArn: string, payload: unknown) => Promise<unknown>;
  /** What a role that a schedule or a workflow acts under allows; without it, those act unchecked. */
  readonly role?: (roleArn: string) => readonly Statement[] | undefined;
  /** The role a function runs under. */
  readonly roleOf?: (functionName: string) => string | undefined;
  /** Whether a role lets a service act under it; without it, every role does. */
  readonly trusts?: (roleArn: string, actor: Actor) => boolean;
  /** Hears of each permission when it is used for the first time. */
  readonly tellUsed?: (used: Used) => void;
}

/** Embedded AWS: every service behind one address, told apart by the signature's credential scope, IAM enforced in front. */
export interface Aws {
  readonly url: string;
  /** Customers' buckets: they have an address of their own, and IAM of ours says nothing about them. */
  readonly s3: RequestListener;
  /** One that is there already stays as it is. */
  createBucket(name: string): void;
  /**
   * Creates what the template names, or finds it from an earlier run. Workflows and schedules go on at once,
   * so the functions must stand before those are provisioned. Attributes only an engine knows (StreamArn, …) come back
   * by logical id.
   */
  provision(resources: readonly Resource[]): Promise<Readonly<Record<string, Readonly<Record<string, string>>>>>;
  /** The mails sent so far, newest first. */
  outbox(): readonly Mail[];
  /** For what acts without a key of its own: services that act for a resource, under its role. */
  readonly permit: Permit;
  /** Every permission that was needed and granted so far, once: what a role holds beyond these was never used. */
  used(): readonly Used[];
  /** Schedules and workflows start nothing more; what they had under way goes on at the next start. Before the functions stop. */
  rest(): Promise<void>;
  stop(): Promise<void>;
}

/** The access key that may do everything: the stage's own work, never a function's. */
export const rootAccessKeyId = 'LOCALROOT';

/** Where the stage is, in AWS's words. */
export const region = 'eu-central-1';
export const account = '123456789012';
