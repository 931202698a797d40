/**
 * The role that customers' Google Cloud projects trust (workload identity federation). It has no permissions: it only proves to Google
 * which organization a function works for. The name of its session is the id of that organization, so Google tells tenants apart.
 */
import { Aws, Tags } from 'aws-cdk-lib';
import { AccountRootPrincipal, Role } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import { idPrefixes } from '../../shared/contract/ids.ts';
import { deploymentName } from './deployment-name.ts';

/** The tag of functions' roles that may assume it. Names of roles are truncated by CloudFormation, so a pattern would not do. */
const accessTag = 'google-access';

/** A chosen name: customers' conditions contain it, and must stay true if the role is created again. */
export const makeGoogleRole = (scope: Construct): Role =>
  new Role(scope, 'GoogleRole', {
    roleName: `${deploymentName(scope)}-google-${Aws.REGION}`,
    description: 'Proves to Google which organization a function works for; has no permissions',
    assumedBy: new AccountRootPrincipal().withConditions({
      StringEquals: { [`aws:PrincipalTag/${accessTag}`]: deploymentName(scope) },
      StringLike: { 'sts:RoleSessionName': `${idPrefixes.organization}_*` },
    }),
  });

/** Lets a function's role assume it, together with the permission. */
export const tagForGoogle = (role: Role): void => Tags.of(role).add(accessTag, deploymentName(role));
