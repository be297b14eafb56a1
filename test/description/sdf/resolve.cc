// Links and joints of an SDF file as libsdformat resolves them, seen from the world, as JSON.
#include <cstdio>
#include <string>
#include <vector>
#include <sdf/sdf.hh>
using ignition::math::Pose3d;

static bool first;

static void numbers(const char *key, const std::vector<double> &values) {
  std::printf(", \"%s\": [", key);
  for (size_t i = 0; i < values.size(); i++) std::printf("%s%.17g", i ? ", " : "", values[i]);
  std::printf("]");
}

static std::vector<double> entries(const Pose3d &p) {
  return {p.Pos().X(), p.Pos().Y(), p.Pos().Z(), p.Rot().W(), p.Rot().X(), p.Rot().Y(), p.Rot().Z()};
}

static void links(const sdf::Model &model, const Pose3d &at, const std::string &prefix) {
  for (uint64_t i = 0; i < model.LinkCount(); i++) {
    const auto &link = *model.LinkByIndex(i);
    Pose3d pose;
    if (!link.SemanticPose().Resolve(pose, "__model__").empty()) std::abort();
    const auto &inertial = link.Inertial();
    const auto I = inertial.MassMatrix().Moi();
    std::printf("%s\n {\"name\": \"%s%s\"", first ? "" : ",", prefix.c_str(), link.Name().c_str());
    first = false;
    numbers("pose", entries(at * pose));
    numbers("mass", {inertial.MassMatrix().Mass()});
    numbers("centre", entries(inertial.Pose()));
    numbers("inertia", {I(0, 0), I(1, 1), I(2, 2), I(0, 1), I(0, 2), I(1, 2)});
    std::printf("}");
  }
  for (uint64_t i = 0; i < model.ModelCount(); i++) {
    Pose3d pose;
    if (!model.ModelByIndex(i)->SemanticPose().Resolve(pose, "__model__").empty()) std::abort();
    links(*model.ModelByIndex(i), at * pose, prefix + model.ModelByIndex(i)->Name() + "::");
  }
}

static void joints(const sdf::Model &model, const Pose3d &at, const std::string &prefix) {
  for (uint64_t i = 0; i < model.JointCount(); i++) {
    const auto &joint = *model.JointByIndex(i);
    Pose3d pose;
    std::string parent, child;
    if (!joint.SemanticPose().Resolve(pose, "__model__").empty()) std::abort();
    if (!joint.ResolveParentLink(parent).empty() || !joint.ResolveChildLink(child).empty()) std::abort();
    std::printf("%s\n {\"name\": \"%s%s\", \"type\": %d, \"parent\": \"%s%s\", \"child\": \"%s%s\"", first ? "" : ",",
                prefix.c_str(), joint.Name().c_str(), static_cast<int>(joint.Type()),
                parent == "world" ? "" : prefix.c_str(), parent.c_str(), prefix.c_str(), child.c_str());
    first = false;
    numbers("pose", entries(at * pose));
    numbers("pitch", {joint.ThreadPitch()});
    for (unsigned k = 0; k < 2; k++) {
      if (!joint.Axis(k)) continue;
      ignition::math::Vector3d axis;
      if (!joint.Axis(k)->ResolveXyz(axis, "__model__").empty()) std::abort();
      axis = at.Rot().RotateVector(axis);
      numbers(k ? "axis2" : "axis", {axis.X(), axis.Y(), axis.Z()});
      numbers(k ? "spring2" : "spring", {joint.Axis(k)->SpringStiffness(), joint.Axis(k)->SpringReference()});
    }
    std::printf("}");
  }
  for (uint64_t i = 0; i < model.ModelCount(); i++) {
    Pose3d pose;
    if (!model.ModelByIndex(i)->SemanticPose().Resolve(pose, "__model__").empty()) std::abort();
    joints(*model.ModelByIndex(i), at * pose, prefix + model.ModelByIndex(i)->Name() + "::");
  }
}

int main(int, char **argv) {
  sdf::ParserConfig config;
  const std::string folder = argv[2];
  config.SetFindCallback([folder](const std::string &name) {
    return folder + "/" + (name.rfind("model://", 0) == 0 ? name.substr(8) : name);
  });
  sdf::Root root;
  for (const auto &error : root.Load(argv[1], config)) std::fprintf(stderr, "%s\n", error.Message().c_str());
  std::vector<std::pair<const sdf::Model *, Pose3d>> models;
  std::printf("{");
  if (const auto *world = root.WorldByIndex(0)) {
    const auto g = world->Gravity();
    std::printf("\"gravity\": [%.17g, %.17g, %.17g],", g.X(), g.Y(), g.Z());
    for (uint64_t i = 0; i < world->ModelCount(); i++) {
      Pose3d pose;
      if (!world->ModelByIndex(i)->SemanticPose().Resolve(pose, "world").empty()) std::abort();
      models.push_back({world->ModelByIndex(i), pose});
    }
  } else {
    std::printf("\"gravity\": [0, 0, -9.81],");
    models.push_back({root.Model(), root.Model()->RawPose()});
  }
  for (int pass = 0; pass < 2; pass++) {
    std::printf("\"%s\": [", pass ? "joints" : "links");
    first = true;
    for (const auto &[model, pose] : models) {
      const std::string prefix = models.size() > 1 ? model->Name() + "::" : "";
      if (pass) joints(*model, pose, prefix);
      else links(*model, pose, prefix);
    }
    std::printf("]%s", pass ? "}\n" : ",\n");
  }
}
