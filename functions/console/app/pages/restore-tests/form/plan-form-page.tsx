import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { usePermission } from '../../../api/permission.ts';
import { useOrganization } from '../../../data/organization.ts';
import type { Project } from '../../../data/projects.ts';
import {
  type RestoreTest,
  useCreateRestoreTest,
  useRestoreTest,
  useUpdateRestoreTest,
} from '../../../data/restore-test/restore-tests.ts';
import { startZone } from '../../../forms/cron/start-zone.ts';
import { NeedsProjects } from '../../../forms/recurring/needs-projects.tsx';
import { EditPage } from '../../../frame/edit-page.tsx';
import { paths } from '../../../paths.ts';
import { CodeBlock } from '../../../ui/data/code-block.tsx';
import { ErrorNotice } from '../../../ui/data/error-notice.tsx';
import { Notice } from '../../../ui/data/notice.tsx';
import { SkeletonText } from '../../../ui/data/skeleton.tsx';
import { ButtonLink } from '../../../ui/form/button-link.tsx';
import { PageHeader } from '../../../ui/layout/page-header.tsx';
import { useParam } from '../../../use-param.ts';
import { newPlanDraft, planDraftOf, planInputOf } from './plan-draft.ts';
import { PlanForm } from './plan-form.tsx';

const crumb = { label: 'Restore tests', to: paths.restoreTests };
const crumbs = [crumb];

export const NewRestoreTestPage = () => {
  const [created, setCreated] = useState<RestoreTest>();
  if (created) return <CreatedCheck plan={created} />;
  return (
    <>
      <PageHeader title="New restore test" crumbs={crumbs} description="It then runs by itself and leaves signed evidence." />
      <NeedsProjects why="A restore test needs backups to test.">
        {(projects) => <NewPlan projects={projects} onCheckCreated={setCreated} />}
      </NeedsProjects>
    </>
  );
};

interface NewPlanProps {
  readonly projects: readonly Project[];
  readonly onCheckCreated: (plan: RestoreTest) => void;
}

const NewPlan = ({ projects, onCheckCreated }: NewPlanProps) => {
  const { data: organization, error, refetch } = useOrganization();
  const create = useCreateRestoreTest();
  const navigate = useNavigate();
  const { reason } = usePermission('member');
  if (error && !organization) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  if (!organization) return <SkeletonText lines={5} />;
  return (
    <PlanForm
      initial={newPlanDraft(startZone(organization.settings.timezone))}
      projects={projects}
      isNew
      busy={create.isPending}
      error={create.error}
      reason={reason}
      cancelTo={paths.restoreTests}
      onSubmit={(input, forget) =>
        create.mutate(input, {
          onSuccess: (plan) => {
            forget();
            if (plan.check) onCheckCreated(plan);
            else void navigate({ to: paths.restoreTest(plan.id) });
          },
        })
      }
    />
  );
};

/** The secret of the check is returned once. */
const CreatedCheck = ({ plan: { id, name, check } }: { readonly plan: RestoreTest }) => (
  <>
    <PageHeader title={`${name} is created`} crumbs={crumbs} />
    <div className="stack">
      <Notice tone="warn" title="Copy the secret of your check now">
        It is shown only once. Your check verifies with it that a message is from this service.
      </Notice>
      <CodeBlock label="Secret of the check" code={check?.secret ?? ''} />
      <div className="row">
        <ButtonLink variant="primary" to={paths.restoreTest(id)}>
          Continue
        </ButtonLink>
      </div>
    </div>
  </>
);

export const EditRestoreTestPage = () => {
  const restoreTestId = useParam('restoreTestId');
  return (
    <EditPage
      read={useRestoreTest(restoreTestId)}
      what="restore test"
      crumb={crumb}
      to={paths.restoreTest(restoreTestId)}
      inputOf={(plan) => planInputOf(planDraftOf(plan), planDraftOf(plan))}
      update={useUpdateRestoreTest(restoreTestId)}
    >
      {(opened, form) => <PlanForm initial={planDraftOf(opened)} restoreTestId={restoreTestId} {...form} />}
    </EditPage>
  );
};
