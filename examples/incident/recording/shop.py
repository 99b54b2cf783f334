"""The shop whose database it is: server settings, roles, tables and the transactions of the pgbench apps."""

from dataclasses import dataclass

DATABASE = "orders"
SUPERUSER = "dba"
INSTANCE = "orders-db"
MAX_CONNECTIONS = 30
RESERVED_CONNECTIONS = 3

SERVER_SETTINGS = {
    "max_connections": str(MAX_CONNECTIONS),
    "superuser_reserved_connections": str(RESERVED_CONNECTIONS),
    "shared_buffers": "32MB",
    "fsync": "off",
    "log_timezone": "UTC",
    "timezone": "UTC",
    "log_line_prefix": "%m [%p] app=%a user=%u db=%d client=%h sqlstate=%e ",
    "log_connections": "on",
    "log_disconnections": "on",
    "log_lock_waits": "on",
    "deadlock_timeout": "500ms",
    "log_min_duration_statement": "250ms",
    "log_checkpoints": "on",
    "checkpoint_timeout": "150s",
    "log_autovacuum_min_duration": "0",
    "autovacuum_naptime": "20s",
}

# app -> role; the role is what the server knows of a client that it refuses before it reads the app's name
ROLES = {
    "checkout": "checkout",
    "fulfilment": "fulfilment",
    "inventory-sync": "inventory_sync",
    "notification-worker": "notification_worker",
    "billing-report": "billing_report",
    "schema-migration": "schema_migration",
    "ops-console": "ops",
    "metrics-exporter": "exporter",
}
APPS = tuple(ROLES)
TABLES = ("orders", "inventory", "outbox")

SCHEMA = """
CREATE ROLE checkout LOGIN;
CREATE ROLE fulfilment LOGIN;
CREATE ROLE inventory_sync LOGIN;
CREATE ROLE notification_worker LOGIN;
CREATE ROLE billing_report LOGIN;
CREATE ROLE schema_migration LOGIN;
CREATE ROLE ops LOGIN SUPERUSER;
CREATE ROLE exporter LOGIN SUPERUSER;
ALTER ROLE ops SET log_statement = 'all';
ALTER ROLE schema_migration SET log_statement = 'ddl';

CREATE TABLE orders (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    product_id integer NOT NULL,
    quantity integer NOT NULL,
    status text NOT NULL DEFAULT 'new',
    placed_at timestamptz NOT NULL DEFAULT now()
);
CREATE TABLE inventory (product_id integer PRIMARY KEY, on_hand integer NOT NULL);
CREATE TABLE outbox (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, topic text NOT NULL, payload text NOT NULL);

INSERT INTO orders (product_id, quantity) SELECT 1 + n % 2000, 1 + n % 5 FROM generate_series(1, 20000) AS n;
INSERT INTO inventory SELECT n, 1000 FROM generate_series(1, 2000) AS n;

GRANT SELECT, INSERT, UPDATE ON orders TO checkout, fulfilment;
GRANT SELECT ON orders TO billing_report;
GRANT SELECT, UPDATE ON inventory TO inventory_sync;
GRANT INSERT ON outbox TO checkout;
GRANT SELECT, UPDATE, DELETE ON outbox TO notification_worker;
ALTER TABLE orders OWNER TO schema_migration;
GRANT CREATE ON SCHEMA public TO schema_migration;
"""

TIMEOUTS = """
ALTER ROLE checkout SET lock_timeout = '{checkout}ms';
ALTER ROLE fulfilment SET statement_timeout = '{fulfilment}ms';
"""
PLACE_ORDER = "INSERT INTO orders (product_id, quantity) VALUES (%s, %s) RETURNING id"
ANNOUNCE = "INSERT INTO outbox (topic, payload) VALUES ('order.placed', %s)"


@dataclass(frozen=True, slots=True, kw_only=True)
class PgbenchApp:
    """An app that pgbench plays: how many processes of one client each, how they connect, and their script."""

    app: str
    processes: int
    arguments: tuple[str, ...]
    script: str


PGBENCH_APPS = (
    PgbenchApp(
        app="checkout",
        processes=4,
        arguments=("--connect", "--rate=0.4"),  # a new connection for every order
        script=r"""\set product random(1, 2000)
\set quantity random(1, 5)
BEGIN;
INSERT INTO orders (product_id, quantity) VALUES (:product, :quantity);
INSERT INTO outbox (topic, payload) VALUES ('order.placed', 'product :product');
COMMIT;
""",
    ),
    PgbenchApp(
        app="fulfilment",
        processes=2,
        arguments=("--rate=2",),  # one connection, kept
        script=r"""\set id random(1, 20000)
UPDATE orders SET status = 'shipped' WHERE id = :id;
""",
    ),
    PgbenchApp(
        app="inventory-sync",
        processes=2,
        arguments=("--rate=10",),  # one connection, kept
        script=r"""\set product random(1, 2000)
\set delta random(-5, 5)
UPDATE inventory SET on_hand = on_hand + :delta WHERE product_id = :product;
SELECT on_hand FROM inventory WHERE product_id = :product;
""",
    ),
)
