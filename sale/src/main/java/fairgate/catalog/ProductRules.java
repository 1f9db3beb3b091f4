package fairgate.catalog;

import fairgate.catalog.Catalog.Outcome.Change;
import fairgate.catalog.Product.Details;
import fairgate.catalog.Product.Draft;
import fairgate.kernel.BidiControls;
import fairgate.kernel.Iso4217;
import fairgate.kernel.Money;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/// Validates the fields of a product.
final class ProductRules {
  private static final int LONGEST_NAME = 200;
  private static final int LONGEST_URL = 2_000;
  private static final int LONGEST_KEY = 200;

  /// A thousand times this price is still exact in a double, the number type of Lua.
  private static final long HIGHEST_PRICE = 1_000_000_000_000L;

  private static final int LONGEST_DURATION = 36_500;

  private ProductRules() {}

  static List<PolicyProblem> check(Details details) {
    List<PolicyProblem> problems = new ArrayList<>();
    length(problems, "name", details.name(), 1, LONGEST_NAME);
    if (BidiControls.in(details.name())) {
      problems.add(PolicyProblem.of("name", "direction_control"));
    }
    length(problems, "image_url", details.imageUrl(), 0, LONGEST_URL);
    range(problems, "price", details.price().minorUnits(), 0, HIGHEST_PRICE);
    if (!Iso4217.isInUse(details.price().currency())) {
      problems.add(PolicyProblem.of("currency", "currency"));
    }
    range(problems, "total_stock", details.totalStock(), 0, PolicyJson.MOST_UNITS);
    Integer days = details.durationDays();
    if (days != null) {
      range(problems, "duration_days", days, 1, LONGEST_DURATION);
    }
    return problems;
  }

  /// The batches of a policy plan the whole stock.
  static List<PolicyProblem> checkPlan(Details details, SalePolicy policy) {
    long planned = policy.schedule().units();
    return policy.schedule().batches().isEmpty() || planned == details.totalStock()
        ? List.of()
        : List.of(PolicyProblem.of("total_stock", "batches_sum", Long.toString(planned)));
  }

  /// A sale that needs a payment has a price, and its deposit is not above it.
  static List<PolicyProblem> checkPayment(Details details, SalePolicy policy) {
    if (policy.payment().required() && details.price().minorUnits() == 0) {
      return List.of(PolicyProblem.of("price", "nothing_to_pay"));
    }
    SalePolicy.Deposit deposit = policy.payment().deposit();
    List<PolicyProblem> problems = new ArrayList<>();
    if (deposit != null) {
      long price = details.price().minorUnits();
      range(problems, "policy.deposit", deposit.of(details.price()).minorUnits(), 1, price);
    }
    return problems;
  }

  /// The changes that affect buyers of a running sale, by the names with which operators confirm
  /// them.
  static SortedMap<String, Change> delicate(Product was, Draft draft) {
    SortedMap<String, Change> changes = new TreeMap<>();
    Money from = was.details().price();
    Money to = draft.details().price();
    changed(changes, "price", from.minorUnits(), to.minorUnits());
    changed(changes, "currency", from.currency(), to.currency());
    changed(changes, "payment", payment(was.policy()), payment(draft.policy()));
    changed(changes, "deposit", deposit(was), deposit(draft.details(), draft.policy()));
    changed(changes, "preset", was.policy().preset().word(), draft.policy().preset().word());
    changed(
        changes,
        "identity",
        was.policy().fairness().identity().word(),
        draft.policy().fairness().identity().word());
    return changes;
  }

  private static String deposit(Product product) {
    return deposit(product.details(), product.policy());
  }

  private static String deposit(Details details, SalePolicy policy) {
    SalePolicy.Deposit deposit = policy.payment().deposit();
    return deposit == null
        ? "none"
        : deposit.of(details.price()).minorUnits() + " " + deposit.passed().word();
  }

  private static String payment(SalePolicy policy) {
    return policy.payment().required() ? "required" : "none";
  }

  private static void changed(Map<String, Change> changes, String name, Object from, Object to) {
    if (!from.equals(to)) {
      changes.put(name, new Change(from.toString(), to.toString()));
    }
  }

  static List<PolicyProblem> checkBatch(int quantity, String key) {
    List<PolicyProblem> problems = new ArrayList<>();
    range(problems, "quantity", quantity, 1, PolicyJson.MOST_UNITS);
    length(problems, "key", key, 1, LONGEST_KEY);
    return problems;
  }

  private static void range(
      List<PolicyProblem> problems, String field, long value, long least, long max) {
    if (value < least || value > max) {
      problems.add(
          PolicyProblem.of(field, "out_of_range", Long.toString(least), Long.toString(max)));
    }
  }

  private static void length(
      List<PolicyProblem> problems, String field, String value, int least, int max) {
    if (value.length() < least || value.length() > max || (least > 0 && value.isBlank())) {
      problems.add(
          PolicyProblem.of(field, "bad_length", Integer.toString(least), Integer.toString(max)));
    }
  }
}
