#!/bin/sh
# Run once by the database's container, as superuser, when its volume is new: logins, the database and its extensions.
# Passwords come from files. All tables, roles of groups and grants are the business of `manage.py migrate`.
set -eu
secrets=${SECRETS:-/run/secrets}
owner=$(cat "$secrets/owner-password")
service=$(cat "$secrets/service-password")
worker=$(cat "$secrets/worker-password")

psql --no-psqlrc --quiet --set=ON_ERROR_STOP=1 --username "${POSTGRES_USER:-postgres}" --dbname postgres \
    --set=owner="$owner" --set=service="$service" --set=worker="$worker" <<'SQL'
SET log_statement = 'none';
CREATE ROLE caesar_owner LOGIN CREATEROLE PASSWORD :'owner';
CREATE ROLE caesar_service LOGIN PASSWORD :'service';
-- The workers' login: people's memory and the work on it, no account and no session.
CREATE ROLE caesar_worker NOLOGIN;
GRANT caesar_worker TO caesar_owner WITH ADMIN TRUE, INHERIT FALSE, SET TRUE;
CREATE ROLE caesar_host LOGIN PASSWORD :'worker' IN ROLE caesar_worker;
GRANT pg_read_all_stats TO caesar_owner, caesar_service;
-- A transaction left open anywhere holds up the reading of chats: no login may have one for ever.
ALTER ROLE caesar_owner SET transaction_timeout = '1h';
ALTER ROLE caesar_owner SET idle_in_transaction_session_timeout = '5min';
ALTER ROLE caesar_owner SET lock_timeout = '2min';
ALTER ROLE caesar_service SET transaction_timeout = '5min';
ALTER ROLE caesar_service SET idle_in_transaction_session_timeout = '60s';
ALTER ROLE caesar_service SET lock_timeout = '30s';
ALTER ROLE caesar_service SET statement_timeout = '2min';
ALTER ROLE caesar_host SET transaction_timeout = '5min';
ALTER ROLE caesar_host SET idle_in_transaction_session_timeout = '60s';
ALTER ROLE caesar_host SET lock_timeout = '30s';
ALTER ROLE caesar_host SET statement_timeout = '2min';
ALTER ROLE CURRENT_USER SET transaction_timeout = '1h';
ALTER ROLE CURRENT_USER SET idle_in_transaction_session_timeout = '5min';
CREATE DATABASE caesar OWNER caesar_owner;
REVOKE ALL ON DATABASE caesar FROM PUBLIC;
GRANT CONNECT, TEMPORARY ON DATABASE caesar TO caesar_service;
GRANT CONNECT ON DATABASE caesar TO caesar_host;
\connect caesar
CREATE EXTENSION vector;
CREATE EXTENSION pg_trgm;
CREATE EXTENSION unaccent;
CREATE EXTENSION btree_gin;
SQL
