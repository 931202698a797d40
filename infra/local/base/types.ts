/** Types shared by the parts of the local stage. */
import type { RequestListener } from 'node:http';

/** An IAM statement with all intrinsics resolved. */
export interface Statement {
  readonly Effect: 'Allow' | 'Deny';
  readonly Action: readonly string[];
  readonly Resource: readonly string[];
  readonly Condition?: Readonly<Record<string, Readonly<Record<string, string | readonly string[]>>>>;
}

/** The caller of an AWS API, identified by its access key. */
export interface Principal {
  readonly name: string;
  readonly statements: readonly Statement[];
  readonly roleArn?: string;
}

/** One role assumes another, under a name of the session. */
export interface RoleAssumption {
  readonly roleArn: string;
  readonly callerArn: string | undefined;
  readonly sessionName: string;
}

/** An AWS service that assumes a role on behalf of a resource of the template. */
export interface Actor {
  /** Such as `scheduler.amazonaws.com`. */
  readonly service: string;
  readonly sourceArn: string;
}

/** Throws AccessDeniedException unless the role trusts the actor and allows the action. */
export type Permit = (
  roleArn: string,
  actor: Actor,
  need: { readonly action: string; readonly resources: readonly string[] },
) => void;

/** A resource of the template with its properties resolved. */
export interface Resource {
  readonly logicalId: string;
  readonly type: string;
  /** The physical name (table name, queue name, key id, state machine name, …). */
  readonly name: string;
  readonly arn: string;
  readonly properties: Readonly<Record<string, unknown>>;
}

export interface Mail {
  readonly id: string;
  readonly from: string;
  readonly to: readonly string[];
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly sentAt: string;
}

/** One action on one resource with one value per condition. */
export interface Permission {
  readonly action: string;
  /** The pattern from the policy. */
  readonly resource: string;
  /** For each condition with several allowed values: one value, such as `kms:EncryptionContext:purpose=passphrase`. */
  readonly conditions: readonly string[];
}

/** A permission that a call needed and had. */
export interface UsedPermission extends Permission {
  readonly principal: string;
}

export interface AwsOptions {
  /** Customers' buckets with Object Lock. */
  readonly lockableBuckets?: readonly string[];
  /** The folder of the engines' persistent state. */
  readonly dir: string;
  /** The table does not survive the stage. Its calls take a quarter less CPU. */
  readonly isTableInMemory?: boolean | undefined;
  readonly region: string;
  readonly account: string;
  /** Speeds up delays and schedules by this factor. */
  readonly delayScale: number;
  /** The caller behind an access key. Undefined: the call fails like one with an unknown key. */
  readonly principal: (accessKeyId: string) => Principal | undefined;
  /** Runs a Lambda function for the Scheduler and Step Functions. Rejects with the function's error. */
  readonly invoke: (functionArn: string, payload: unknown) => Promise<unknown>;
  /** The statements of a role used by a schedule or workflow. Undefined: no checks. */
  readonly role?: (roleArn: string) => readonly Statement[] | undefined;
  readonly roleOf?: (functionName: string) => string | undefined;
  /** Whether the trust policy of a role allows the actor. Undefined: every role does. */
  readonly trusts?: (roleArn: string, actor: Actor) => boolean;
  /** Whether the trust policy of a role allows another role. Undefined: the role is not of the template. */
  readonly isAssumable?: (assumption: RoleAssumption) => boolean | undefined;
  /** Called when a permission is used for the first time. */
  readonly onPermissionUsed?: (used: UsedPermission) => void;
}

/** Embedded AWS: all services share one endpoint and are selected by the signature's credential scope. IAM is enforced. */
export interface Aws {
  readonly url: string;
  /** Customers' buckets. They have their own endpoint; the service's IAM policies do not apply to them. */
  readonly s3: RequestListener;
  /** Idempotent. */
  createBucket(name: string): void;
  /**
   * Creates the template's resources, or finds those of an earlier run. Workflows and schedules resume immediately, so provision
   * them after the functions are running. Returns attributes that only an engine knows (such as StreamArn), by logical id.
   */
  provision(resources: readonly Resource[]): Promise<Readonly<Record<string, Readonly<Record<string, string>>>>>;
  /** The e-mails sent so far, newest first. */
  outbox(): readonly Mail[];
  /** Checks the permissions of services that act for a resource under its role. */
  readonly permit: Permit;
  /** The identity behind a signed GetCallerIdentity request; throws the error of AWS. */
  callerIdentity(
    request: { readonly method: string; readonly url: string; readonly headers: Readonly<Record<string, string>> },
    now: Date,
  ): { readonly arn: string; readonly account: string };
  /** All permissions that calls needed and had, without duplicates. */
  used(): readonly UsedPermission[];
  /** Stops starting schedules and workflows; running executions resume at the next start. Call before the functions stop. */
  quiesce(): Promise<void>;
  stop(): Promise<void>;
}

/** An access key without restrictions, for the stage's own calls only. */
export const rootAccessKeyId = 'LOCALROOT';

/** The simulated region and account. */
export const region = 'eu-central-1';
export const account = '123456789012';
