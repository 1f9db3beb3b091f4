/// The admin API, `/api/admin/...`: its operators, the input of its routes, and the records of its
/// actions. Every feature has its own routes of it.
@NullMarked
@CheckReturnValue
package fairgate.platform.admin;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
