import { useNavigate } from '@tanstack/react-router';
import { ConnectProjectForm } from '../../../forms/connection/connect-project-form.tsx';
import { paths } from '../../../paths.ts';
import { Card } from '../../../ui/data/card.tsx';
import { ButtonLink } from '../../../ui/form/button-link.tsx';
import { PageHeader } from '../../../ui/layout/page-header.tsx';

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
        <ConnectProjectForm returnTo={paths.connectProject} onConnected={({ id }) => void navigate({ to: paths.project(id) })}>
          <ButtonLink to={paths.projects}>Cancel</ButtonLink>
        </ConnectProjectForm>
      </Card>
    </>
  );
};
