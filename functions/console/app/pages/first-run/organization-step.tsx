import { useDraft } from '../../api/use-draft.ts';
import { useSingleMutation } from '../../api/use-single-mutation.ts';
import { useCreateOrganization } from '../../data/organization.ts';
import { fieldError } from '../../format/describe-failure.ts';
import { ErrorNotice } from '../../ui/data/error-notice.tsx';
import { Button } from '../../ui/form/button.tsx';
import { Input } from '../../ui/form/field.tsx';

export const OrganizationStep = ({ onCreated }: { readonly onCreated: () => void }) => {
  const [{ name }, change, forget] = useDraft('organization', { name: '' });
  const createOrganization = useCreateOrganization();
  const create = useSingleMutation({
    mutationFn: () => createOrganization(name.trim()),
    onSuccess: () => {
      forget();
      onCreated();
    },
  });
  return (
    <form
      className="form"
      onSubmit={(event) => {
        event.preventDefault();
        create.mutate();
      }}
    >
      <Input
        label="Name"
        hint="Your company or team. Projects, backups and people belong to it."
        value={name}
        onChange={({ target }) => change({ name: target.value })}
        error={fieldError(create.error, 'name')}
        autoComplete="organization"
        required
      />
      {create.error && <ErrorNotice error={create.error} title="The organization was not created" shownFields={['name']} />}
      <div className="form__actions">
        <Button variant="primary" type="submit" busy={create.isPending}>
          Create the organization
        </Button>
      </div>
    </form>
  );
};
