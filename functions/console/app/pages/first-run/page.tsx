import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { currentMembership, useSession } from '../../api/session.ts';
import { BareHeader } from '../../frame/bare-header.tsx';
import { ReceivedInvitations } from '../../frame/received-invitations.tsx';
import { RecoverCard } from '../../parts/recover-card.tsx';
import { paths } from '../../paths.ts';
import { OrganizationStep } from './organization-step.tsx';
import { OrganizationSteps } from './organization-steps.tsx';
import { LastStep, Step } from './step.tsx';

const later = [
  ['Connect a project', 'The Firestore database to protect.'],
  ['Add storage', 'A bucket of yours, where the backups go.'],
  ['Take the first backup', 'It runs at once, and you can watch it.'],
] as const;

/** From nothing to the first backup. Every step shows what the service has, so that it can be left and continued. */
export const FirstRunPage = () => {
  const session = useSession();
  const { new: isNew } = useSearch({ strict: false }) as { readonly new?: string };
  const navigate = useNavigate();
  const lastStep = useRef<number>(undefined);
  const membership = isNew ? undefined : currentMembership(session);
  useEffect(() => {
    document.title = 'Set up · Backups';
  }, []);
  return (
    <main className="stack stack--tight first-run">
      <BareHeader>{session.organizations.length > 0 && <Link to={paths.overview}>Go to the overview</Link>}</BareHeader>
      <h1>{isNew ? 'New organization' : 'Protect your first project'}</h1>
      <p className="secondary">Four steps, about five minutes. You can leave at any time and continue here.</p>
      <ReceivedInvitations />
      {session.organizations.length === 0 && <RecoverCard />}
      <LastStep value={lastStep}>
        <ol className="first-run__steps">
          {membership ? (
            <>
              <Step number={1} title="Create an organization" state="done" result={membership.name} />
              <OrganizationSteps />
            </>
          ) : (
            <>
              <Step number={1} title="Create an organization" state="current">
                <OrganizationStep onCreated={() => void navigate({ to: paths.start })} />
              </Step>
              {later.map(([title, description], index) => (
                <Step key={title} number={index + 2} title={title} description={description} state="later" />
              ))}
            </>
          )}
        </ol>
      </LastStep>
    </main>
  );
};
