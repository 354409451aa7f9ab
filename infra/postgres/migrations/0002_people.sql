-- Up Migration

alter table runs
  -- Who started it, for not-the-author policies.
  add column created_by text,
  -- 1 is the most urgent, 5 the least.
  add column priority smallint not null default 3 check (priority between 1 and 5),
  -- The child's place in its parent: {runId, step, pass, index}.
  add column parent jsonb,
  -- Labels of sources that were off when it was started.
  add column held text[] not null default '{}',
  add column callback jsonb,
  -- The run that it was forked from: {runId, step, pass}.
  add column forked_from jsonb;
create index runs_labels on runs using gin (labels) where status <> 'ended';

-- Questions to people, as the record tells them: the newest revision of each.
create table tasks (
  task_id text collate "C" primary key,
  run_id text collate "C" not null references runs on delete cascade,
  project text not null,
  step text not null,
  revision int not null,
  state text not null check (state in ('open', 'decided', 'closed')),
  -- What was asked, frozen when it opened, and the decisions so far.
  body jsonb not null,
  opened_at timestamptz not null,
  updated_at timestamptz not null
);
create index tasks_open on tasks (task_id) where state = 'open';
create index tasks_run on tasks (run_id);

-- Notifications on their way out, written with the events that they tell of.
create table outbox (
  id bigint generated always as identity primary key,
  run_id text collate "C" not null references runs on delete cascade,
  seq int not null,
  channel text not null,
  body jsonb not null,
  status text not null default 'due' check (status in ('due', 'sent', 'given_up')),
  due_at timestamptz not null default now(),
  tries int not null default 0,
  last_error text,
  created_at timestamptz not null default now(),
  unique (run_id, seq, channel)
);
create index outbox_due on outbox (due_at) where status = 'due';

create table definitions (
  project text not null,
  name text not null,
  version int not null,
  dialect text not null,
  source text not null,
  source_sha256 text not null,
  created_by text not null,
  created_at timestamptz not null default now(),
  primary key (project, name, version)
);

-- Write-only: sealed by a key that the database does not know.
create table secrets (
  project text not null,
  name text not null,
  sealed bytea not null,
  updated_by text not null,
  updated_at timestamptz not null default now(),
  primary key (project, name)
);

create table people (
  name text primary key,
  teams text[] not null,
  admin boolean not null default false,
  token_sha256 text not null unique,
  created_at timestamptz not null default now()
);

-- A label whose runs may start no new pass while it is off.
create table sources (
  label text primary key,
  is_on boolean not null,
  changed_by text not null,
  changed_at timestamptz not null default now()
);

-- Down Migration

drop table sources, people, secrets, definitions, outbox, tasks;
alter table runs
  drop column created_by, drop column priority, drop column parent, drop column held, drop column callback,
  drop column forked_from;
