"""What the tests share and no user installs: guards, a PostgreSQL of their own, and a contract for import-linter."""
