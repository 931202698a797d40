import type { Context } from 'aws-lambda';
import { type LambdaHandler, lambdaHandler, type Tenant, unsafeTenant } from '../platform/index.ts';

interface StepSchema<S> {
  parse(input: unknown): S;
}

/** The handler of a workflow step. Its input was written by this service, and names the organization of the job. */
export const stepHandler = <S extends { readonly organizationId: string }, R>(
  schema: StepSchema<S>,
  work: (tenant: Tenant, step: S, context: Context) => Promise<R>,
): LambdaHandler<unknown, R> =>
  lambdaHandler(async (input, context) => {
    const step = schema.parse(input);
    return work(unsafeTenant(step.organizationId, 'record'), step, context);
  });
