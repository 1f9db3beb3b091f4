/// Tests of the package of the same name.
@NullMarked
package fairgate.platform.audit;

import org.jspecify.annotations.NullMarked;
