/** Example of the commands for access without a key. */
import type * as z from 'zod/mini';
import { audienceOf, type WorkloadIdentitySetup } from '../../workload-identity.ts';

const organizationId = 'org_01JZ8Q4V0M6T3X9C2B7N5K1HRD';
const role = 'backup-management-service-google-eu-central-1';
const sessionArn = `arn:aws:sts::123456789012:assumed-role/${role}/${organizationId}`;
const attributeMapping = `google.subject=assertion.arn.extract('/${role}/{session}')`;
const attributeCondition = `assertion.arn=='${sessionArn}'`;
const principal = `principal://iam.googleapis.com/projects/987654321098/locations/global/workloadIdentityPools/backups/subject/${organizationId}`;

export const workloadIdentitySetupExample: z.output<typeof WorkloadIdentitySetup> = {
  awsAccountId: '123456789012',
  roleArn: `arn:aws:iam::123456789012:role/${role}`,
  sessionArn,
  attributeMapping,
  attributeCondition,
  audience: audienceOf({ projectNumber: '987654321098' }),
  principal,
  commands: [
    {
      title: 'Create a workload identity pool',
      command:
        'gcloud iam workload-identity-pools create backups --project=my-project --location=global --display-name="Backups"',
    },
    {
      title: 'Trust this service, for your organization only',
      command: `gcloud iam workload-identity-pools providers create-aws backup-service --project=my-project --location=global --workload-identity-pool=backups --account-id=123456789012 --attribute-mapping="${attributeMapping}" --attribute-condition="${attributeCondition}"`,
    },
    {
      title: 'Let it access the database',
      command: `gcloud projects add-iam-policy-binding my-project --role=roles/datastore.viewer --condition=None --member="${principal}"`,
    },
  ],
};
