import { useNavigate } from '@tanstack/react-router';
import { ConnectProjectForm } from '../../../forms/connection/connect-project-form.tsx';
import { paths } from '../../../paths.ts';
import { Card } from '../../../ui/data/card.tsx';
import { ButtonLink } from '../../../ui/form/button-link.tsx';
import { PageHeader } from '../../../ui/layout/page-header.tsx';

const notes = [
  ['Which databases', 'Firestore databases in Native mode. Each database of a Google Cloud project is connected by itself.'],
  ['What a backup costs', 'Google bills what a backup reads. You see how much that is, and its price, before one starts.'],
  ['What comes next', 'Take a first backup, and create a schedule. The page of the project leads to both.'],
] as const;

export const ConnectProjectPage = () => {
  const navigate = useNavigate();
  return (
    <>
      <PageHeader
        title="Connect a project"
        crumbs={[{ label: 'Projects', to: paths.projects }]}
        description="Access is checked at once with a single read. Nothing is written to the database until you restore into it."
      />
      <Card>
        <div className="form__split connect">
          <ConnectProjectForm returnTo={paths.connectProject} onConnected={({ id }) => void navigate({ to: paths.project(id) })}>
            <ButtonLink to={paths.projects}>Cancel</ButtonLink>
          </ConnectProjectForm>
          <aside className="stack stack--medium connect__aside" aria-label="Good to know">
            {notes.map(([title, text]) => (
              <div key={title}>
                <h2 className="connect__note">{title}</h2>
                <p className="secondary">{text}</p>
              </div>
            ))}
          </aside>
        </div>
      </Card>
    </>
  );
};
