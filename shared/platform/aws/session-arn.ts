import { env } from '../env.ts';

/** The AWS account of this deployment. */
export const deploymentAccountId = (): string => env('GOOGLE_ROLE_ARN').split(':')[4] ?? '';

/** A session of the role that Google Cloud projects trust, as Google sees it. */
export const sessionArnOf = (sessionName: string): string =>
  `${env('GOOGLE_ROLE_ARN').replace(':iam:', ':sts:').replace(':role/', ':assumed-role/')}/${sessionName}`;
