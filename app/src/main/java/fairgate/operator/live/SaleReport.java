package fairgate.operator.live;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The figures of a sale, from PostgreSQL.
///
/// @param orders by status; missing statuses have none
/// @param minutes the measured minutes, oldest first
/// @param refusals refused joins and purchases by error code, most frequent first
/// @param incidents what operators did and minutes without measurements, oldest first
public record SaleReport(
    Map<String, Orders> orders,
    Map<String, Refunds> refunds,
    List<Minute> minutes,
    List<Refusals> refusals,
    Shares devices,
    Shares buyers,
    Shares networks,
    List<Incident> incidents) {
  public SaleReport {
    orders = Map.copyOf(orders);
    refunds = Map.copyOf(refunds);
    minutes = List.copyOf(minutes);
    refusals = List.copyOf(refusals);
    incidents = List.copyOf(incidents);
  }

  /// Orders of one status.
  ///
  /// @param amount in minor units
  public record Orders(long count, long units, long amount) {}

  /// Refunds of one state.
  ///
  /// @param amount in minor units
  public record Refunds(long count, long amount) {}

  /// One minute of the sale.
  ///
  /// @param joined people who joined in this minute
  /// @param admitted people who were admitted in it
  /// @param waiting people who waited at its end
  /// @param waitSeconds how long the last person who joined in it waited, in whole minutes; null
  ///   when nobody joined, or when that person was not served while the sale was measured
  public record Minute(
      Instant at, long joined, long admitted, long waiting, @Nullable Long waitSeconds) {}

  /// Refusals with one error code.
  public record Refusals(String reason, long count) {}

  /// How the paid units are divided.
  ///
  /// @param holders how many devices, buyers or networks have units
  /// @param units the units whose holder is known
  /// @param most the units of the largest holder
  /// @param topTen the units of the ten largest holders
  public record Shares(long holders, long units, long most, long topTen) {}

  /// Something that changed the course of the sale.
  ///
  /// @param what such as `POST /api/admin/products/7/pause`, or `unmeasured`
  /// @param until the end of a time without measurements; null otherwise
  /// @param operator empty when unknown
  public record Incident(Instant at, @Nullable Instant until, String what, String operator) {}
}
