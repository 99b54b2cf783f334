"""What was recorded and decided, told to OpenTelemetry: `otel` speaks to any providers, `otlp` makes them."""
