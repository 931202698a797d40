/** Access to Google without a key: the pool provider in the customer's Google Cloud project that trusts this deployment. */
import * as z from 'zod/mini';

/** The ids that the commands use unless others are given. */
export const workloadIdentityPoolId = 'backups';
export const workloadIdentityProviderId = 'backup-service';

const poolIdPattern = '[a-z0-9-]{4,32}';
const audiencePattern = new RegExp(
  `^(https:)?//iam\\.googleapis\\.com/projects/\\d{1,20}/locations/global/workloadIdentityPools/${poolIdPattern}/providers/${poolIdPattern}$`,
);

export const ProjectNumber = z
  .string('must be the number of a Google Cloud project, as text')
  .check(
    z.regex(/^\d{1,20}$/, 'must be the number of a Google Cloud project, such as 123456789012'),
    z.meta({ examples: ['123456789012'] }),
  );

const idOf = (what: string, example: string) =>
  z.string().check(
    z.regex(new RegExp(`^${poolIdPattern}$`), `must be the id of a ${what}: 4 to 32 lower-case letters, digits and hyphens`),
    z.refine((id) => !id.startsWith('gcp-'), 'must not begin with gcp-, which Google reserves'),
    z.meta({ examples: [example] }),
  );
export const PoolId = idOf('workload identity pool', workloadIdentityPoolId);
export const ProviderId = idOf('workload identity pool provider', workloadIdentityProviderId);

export const ServiceAccountEmail = z.email('must be the e-mail address of a Google service account').check(
  z.maxLength(254),
  z.refine((email) => email.endsWith('.gserviceaccount.com'), 'must end with .gserviceaccount.com'),
  // Others would need quotes in the commands that are shown.
  z.refine((email) => /^[\w.+-]+@[\w.-]+$/.test(email), 'must have only letters, digits, dots and hyphens before the @'),
  z.meta({ examples: ['backups@my-project.iam.gserviceaccount.com'] }),
);

/** The provider by its full name, or by its parts. No secret. */
export const WorkloadIdentity = z.strictObject({
  audience: z.optional(
    z.string().check(
      z.regex(
        audiencePattern,
        'must be //iam.googleapis.com/projects/NUMBER/locations/global/workloadIdentityPools/POOL/providers/PROVIDER',
      ),
      z.meta({
        examples: [
          `//iam.googleapis.com/projects/123456789012/locations/global/workloadIdentityPools/${workloadIdentityPoolId}/providers/${workloadIdentityProviderId}`,
        ],
      }),
    ),
  ),
  projectNumber: z.optional(ProjectNumber),
  poolId: z.optional(PoolId),
  providerId: z.optional(ProviderId),
  serviceAccountEmail: z.optional(ServiceAccountEmail),
});

export type WorkloadIdentityInput = z.output<typeof WorkloadIdentity>;

/** Why the fields do not go together; undefined if they do. */
export const workloadIdentityFlaw = ({
  audience,
  projectNumber,
  poolId,
  providerId,
}: WorkloadIdentityInput): string | undefined => {
  if ((audience === undefined) === (projectNumber === undefined)) return 'must have either audience or projectNumber';
  return audience !== undefined && (poolId !== undefined || providerId !== undefined)
    ? 'must not have poolId or providerId beside audience, which contains them'
    : undefined;
};

/** The full name of the provider, as Google's token service expects it. */
export const audienceOf = ({ audience, projectNumber, poolId, providerId }: WorkloadIdentityInput): string =>
  audience?.replace(/^https:/, '') ??
  `//iam.googleapis.com/projects/${projectNumber}/locations/global/workloadIdentityPools/${poolId ?? workloadIdentityPoolId}/providers/${providerId ?? workloadIdentityProviderId}`;

/** Reading is enough for backups; restores into the project need the second role. */
export const sourceRoles = ['roles/datastore.viewer', 'roles/datastore.user'] as const;

/** Of a bucket. The first role does not include locks of objects (storage.objects.setRetention). */
export const bucketRoles = ['roles/storage.objectUser', 'roles/storage.objectAdmin'] as const;

/** How a Google Cloud project trusts this deployment and this organization only. */
export const WorkloadIdentitySetup = z.object({
  awsAccountId: z.string(),
  roleArn: z.string(),
  sessionArn: z.string(),
  attributeMapping: z.string(),
  attributeCondition: z.string(),
  audience: z.nullable(z.string()),
  principal: z.nullable(z.string()),
  commands: z.array(z.object({ title: z.string(), command: z.string() })),
});
