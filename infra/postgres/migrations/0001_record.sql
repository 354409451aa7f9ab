-- Up Migration

-- Ids sort by time under the C collation, which the cursor of the list rests on.
create table runs (
  run_id text collate "C" primary key,
  project text not null,
  idempotency_key text,
  body_sha256 text not null,
  name text not null,
  labels text[] not null,
  plan jsonb not null,
  inputs jsonb not null,
  seat int not null default 1,
  status text not null,
  summary jsonb not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- When the sweeper last asked the engine about the run's seat.
  swept_at timestamptz,
  unique (project, idempotency_key)
);
create index runs_open on runs (swept_at nulls first) where status <> 'ended';
create index runs_project on runs (project, run_id desc);

-- The record: folding a run's events gives its state.
create table events (
  run_id text collate "C" not null references runs on delete cascade,
  seq int not null,
  type text not null,
  at timestamptz not null,
  event jsonb not null,
  primary key (run_id, seq)
);

-- What an attempt left behind, stage by stage, before its result reached the engine (decision 4).
create table attempts (
  run_id text collate "C" not null,
  step text not null,
  pass int not null,
  attempt int not null,
  stage text not null check (stage in ('started', 'ran', 'finished')),
  ran jsonb,
  result jsonb,
  spend jsonb,
  host_id text not null,
  started_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (run_id, step, pass, attempt)
);

create table verdicts (
  run_id text collate "C" not null,
  step text not null,
  pass int not null,
  round int not null,
  check_name text not null,
  verdict jsonb not null,
  created_at timestamptz not null default now(),
  primary key (run_id, step, pass, round, check_name)
);

-- Messages on their way to a run's workflow (decision 12).
create table messages (
  id text primary key,
  run_id text collate "C" not null references runs on delete cascade,
  kind text not null,
  body jsonb not null,
  status text not null default 'pending' check (status in ('pending', 'applied', 'refused')),
  answer jsonb,
  -- The seat that was claimed to carry this message, when it made a re-seat.
  seat int,
  created_at timestamptz not null default now(),
  sent_at timestamptz not null default now()
);
create index messages_pending on messages (sent_at) where status = 'pending';

create table hosts (
  host_id text primary key,
  lease_until timestamptz not null,
  fencing_token int not null,
  slots int not null,
  started_at timestamptz not null default now(),
  info jsonb not null
);

create table workspaces (
  run_id text collate "C" primary key references runs on delete cascade,
  host_id text not null,
  path text not null,
  base jsonb
);

-- Down Migration

drop table workspaces, hosts, messages, verdicts, attempts, events, runs;
