package fairgate.sale.ledger;

import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/// Converts a list of rows into arrays of columns, so that many rows travel in one statement.
record Columns<T>(List<T> rows) {
  Object texts(Function<T, @Nullable String> column) {
    @Nullable String[] values = new @Nullable String[rows.size()];
    for (int i = 0; i < values.length; i++) {
      values[i] = column.apply(rows.get(i));
    }
    return values;
  }

  Object longs(ToLongFunction<T> column) {
    Long[] values = new Long[rows.size()];
    for (int i = 0; i < values.length; i++) {
      values[i] = column.applyAsLong(rows.get(i));
    }
    return values;
  }

  Object numbers(Function<T, @Nullable Long> column) {
    @Nullable Long[] values = new @Nullable Long[rows.size()];
    for (int i = 0; i < values.length; i++) {
      values[i] = column.apply(rows.get(i));
    }
    return values;
  }

  Object ints(ToIntFunction<T> column) {
    Integer[] values = new Integer[rows.size()];
    for (int i = 0; i < values.length; i++) {
      values[i] = column.applyAsInt(rows.get(i));
    }
    return values;
  }

  Object times(Function<T, @Nullable Instant> column) {
    @Nullable OffsetDateTime[] values = new @Nullable OffsetDateTime[rows.size()];
    for (int i = 0; i < values.length; i++) {
      Instant at = column.apply(rows.get(i));
      values[i] = at == null ? null : at.atOffset(ZoneOffset.UTC);
    }
    return values;
  }
}
