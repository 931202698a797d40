import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { rememberOrganization, useMembership, useSession } from '../../api/session.ts';
import { paths } from '../../paths.ts';
import { Icon } from '../../ui/icon.tsx';
import { Menu, MenuItem, MenuLabel, MenuSeparator } from '../../ui/overlay/menu.tsx';

/** Shows another organization of the person, from its overview on. */
export const useSwitchOrganization = (): ((id: string) => void) => {
  const current = useMembership();
  const queries = useQueryClient();
  const navigate = useNavigate();
  return (id) => {
    if (id === current.id) return;
    rememberOrganization(id);
    queries.removeQueries({ predicate: ({ queryKey: [first] }) => first === current.id });
    void navigate({ to: paths.overview });
  };
};

export const OrganizationSwitcher = () => {
  const { organizations } = useSession();
  const current = useMembership();
  const navigate = useNavigate();
  const choose = useSwitchOrganization();
  return (
    <Menu
      align="start"
      trigger={
        <button type="button" className="switcher">
          <span className="switcher__mark" aria-hidden="true">
            {initialsOf(current.name)}
          </span>
          <span className="switcher__text">
            <span className="visually-hidden">Organization: </span>
            <span className="medium truncate" title={current.name}>
              {current.name}
            </span>
            <span className="switcher__role">{current.role}</span>
          </span>
          <Icon name="chevronDown" />
        </button>
      }
    >
      <MenuLabel>Organizations</MenuLabel>
      {organizations.map(({ id, name }) => (
        <MenuItem key={id} checked={id === current.id} onSelect={() => choose(id)}>
          {name}
        </MenuItem>
      ))}
      <MenuSeparator />
      <MenuItem icon="plus" onSelect={() => void navigate({ to: paths.start, search: { new: true } })}>
        New organization
      </MenuItem>
    </Menu>
  );
};

/** 'Analytical Engines' → 'AE' */
export const initialsOf = (name: string): string =>
  name
    .split(/\s+/)
    .filter(Boolean)
    .slice(0, 2)
    .map((word) => [...word][0]?.toUpperCase() ?? '')
    .join('') || '?';
